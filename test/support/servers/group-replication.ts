import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseServer, runSql } from './database-server.js';
import { findFreePort } from './free-port.js';
import { startMysql } from './mysql.js';

/** Three MySQL servers that replicate as a group. */
export interface ReplicationGroup {
  readonly nodes: DatabaseServer[];
  /** The node that is the primary, as the others see it; undefined while there is none. */
  primary(): Promise<DatabaseServer | undefined>;
  /** Lets a node that was killed and started again catch up. */
  rejoin(node: DatabaseServer): Promise<void>;
  /** Makes another node the primary. With a limit, transactions that are still running after it are ended. */
  switchTo(node: DatabaseServer, limitSeconds?: number): Promise<void>;
  /** Kills all nodes and removes their data. */
  stop(): Promise<void>;
}

/** Which nodes take writes, and what a transaction waits for. */
export interface GroupOptions {
  multiPrimary?: boolean;
  consistency?: 'EVENTUAL' | 'BEFORE_ON_PRIMARY_FAILOVER' | 'BEFORE';
}

interface Ports {
  sql: number;
  group: number;
}

const SIZE = 3;
const JOIN = "START GROUP_REPLICATION USER = 'root', PASSWORD = ''";
const ONLINE_TIMEOUT_MS = 60_000;

/** Starts a group on 127.0.0.1. A lost node is expelled as soon as it is suspected, after five seconds. */
export async function startGroup(options: GroupOptions = {}): Promise<ReplicationGroup> {
  const ports: Ports[] = [];
  while (ports.length < SIZE) ports.push({ sql: await findFreePort(), group: await findFreePort() });
  const name = randomUUID();
  const nodes = await Promise.all(
    ports.map(({ sql }, at) => startMysql({ port: sql, extraFlags: groupFlags(name, ports, at, options) })),
  );
  const stop = async () => void (await Promise.all(nodes.map((node) => node.remove())));
  const members = (node: DatabaseServer) =>
    runSql(
      node.url(),
      `SELECT MEMBER_PORT AS port, MEMBER_STATE AS state, MEMBER_ROLE AS role, MEMBER_ID AS id
       FROM performance_schema.replication_group_members`,
    );
  const up = () => nodes.filter(({ pid }) => pid !== undefined);
  const rejoin = async (node: DatabaseServer) => {
    await runSql(node.url(), JOIN);
    await untilOnline(node, up().length);
  };
  const untilOnline = async (node: DatabaseServer, count: number) => {
    for (const end = Date.now() + ONLINE_TIMEOUT_MS; Date.now() < end; await sleep(50))
      if ((await members(node)).filter(({ state }) => state === 'ONLINE').length === count) return;
    throw new Error(`not online: ${JSON.stringify(await members(node))}`);
  };
  const primary = async () => {
    const seen = await Promise.all(up().map((node) => members(node).catch(() => [])));
    const found = seen.flat().find(({ role, state }) => role === 'PRIMARY' && state === 'ONLINE');
    return up().find(({ port }) => port === found?.port);
  };
  const switchTo = async (node: DatabaseServer, limitSeconds?: number) => {
    const id = (await members(node)).find(({ port }) => port === node.port)!.id as string;
    const limit = limitSeconds === undefined ? '' : `, ${limitSeconds}`;
    await runSql(node.url(), `SELECT group_replication_set_as_primary('${id}'${limit})`);
  };
  try {
    const [first, ...others] = nodes as [DatabaseServer, ...DatabaseServer[]];
    const bootstrap = (value: string) => `SET GLOBAL group_replication_bootstrap_group = ${value}`;
    await runSql(first.url(), bootstrap('ON'), JOIN, bootstrap('OFF'));
    await Promise.all(others.map((node) => runSql(node.url(), JOIN)));
    await Promise.all(nodes.map((node) => untilOnline(node, SIZE)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, primary, rejoin, switchTo, stop };
}

function groupFlags(name: string, ports: Ports[], at: number, { multiPrimary, consistency }: GroupOptions): string[] {
  const { sql, group } = ports[at]!;
  return [
    `--server-id=${at + 1}`,
    '--log-bin=binlog',
    '--sync-binlog=0',
    '--gtid-mode=ON',
    '--enforce-gtid-consistency=ON',
    '--skip-name-resolve',
    '--report-host=127.0.0.1',
    `--report-port=${sql}`,
    '--plugin-load-add=group_replication.so',
    `--group-replication-group-name=${name}`,
    '--group-replication-start-on-boot=OFF',
    '--group-replication-bootstrap-group=OFF',
    `--group-replication-local-address=127.0.0.1:${group}`,
    `--group-replication-group-seeds=${ports.map((each) => `127.0.0.1:${each.group}`).join(',')}`,
    '--group-replication-ip-allowlist=127.0.0.1/8',
    '--group-replication-communication-stack=XCOM',
    `--group-replication-single-primary-mode=${multiPrimary ? 'OFF' : 'ON'}`,
    `--group-replication-enforce-update-everywhere-checks=${multiPrimary ? 'ON' : 'OFF'}`,
    '--group-replication-member-expel-timeout=0',
    `--group-replication-member-weight=${90 - 20 * at}`,
    ...(consistency ? [`--group-replication-consistency=${consistency}`] : []),
  ];
}
