import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildOnce } from './cache-folder.js';
import { findProgram, runCommand } from './command.js';
import { temporaryFolderFlag } from './database-launch.js';
import { type DatabaseServer, databaseServerOf, databaseUrl, runSql } from './database-server.js';
import { galeraFlags, type GaleraPorts, nextGaleraPorts } from './galera-flags.js';
import { startFlags, writeClusterView } from './galera-state.js';
import { mariaDbFlags, mariaDbTemplate } from './mariadb.js';
import { ensureDebianPackages } from './packages.js';
import { ServerProcess } from './process.js';
import { copyFolder, createScratchFolder } from './scratch-folder.js';

/** A MariaDB Galera cluster: a commit on one node is on all of them, though visible there a moment later. */
export interface GaleraCluster {
  readonly nodes: DatabaseServer[];
  /** Kills all nodes and removes their data. */
  stop(): Promise<void>;
}

/** mariadbd must not run as root here: the rsync daemon of a state transfer drops to nobody and could not read the data. */
const user = process.getuid?.() === 0 ? 'mysql' : undefined;

/**
 * Starts a cluster of two or more nodes on 127.0.0.1; a lost node is detected after 2 seconds. A killed node can be
 * restarted and catches up. After all were stopped cleanly, start the one that stopped last first; after all were
 * killed, start all at once.
 */
export async function startGalera(nodeCount = 3): Promise<GaleraCluster> {
  await ensureDebianPackages({
    mariadbd: 'mariadb-server',
    wsrep_sst_rsync: 'mariadb-server',
    rsync: 'rsync',
    '/usr/lib/galera/libgalera_smm.so': 'galera-4',
  });
  const template = await galeraTemplate();
  const ports = await nextGaleraPorts(nodeCount);
  const nodes = await Promise.all(ports.map((_, index) => prepareNode(template, ports, index)));
  const stop = async () => void (await Promise.all(nodes.map((node) => node.remove())));
  try {
    await Promise.all(nodes.map(startNode));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, stop };
}

/** Now and then Galera cannot read the priority of a thread that it has just started, and ends. */
const startNode = (node: DatabaseServer): Promise<void> =>
  node.start().catch((error: unknown) => {
    if (!String(error).includes('Failed to read thread schedparams')) throw error;
    return node.start();
  });

/**
 * The data of a single-node cluster that was stopped cleanly: nodes that start from copies of it need no state
 * transfer.
 */
async function galeraTemplate(): Promise<string> {
  const plain = await mariaDbTemplate();
  const built = await buildOnce(`${basename(plain)}-galera`, async (folder) => {
    const ports = await nextGaleraPorts(1);
    const node = await prepareNode(plain, ports, 0);
    await startNode(node);
    await node.stop();
    await rm(join(node.dataDir, 'galera.cache'), { force: true });
    await copyFolder(node.dataDir, join(folder, 'data'));
    await node.remove();
  });
  return join(built, 'data');
}

async function prepareNode(template: string, ports: GaleraPorts[], index: number): Promise<DatabaseServer> {
  const { sql: port } = ports[index] as GaleraPorts;
  const folder = createScratchFolder();
  const dataDir = join(folder.path, 'data');
  const socket = join(folder.path, 'socket');
  await copyFolder(template, dataDir);
  if (ports.length > 1) await writeClusterView(dataDir, ports.length, index);
  if (user) await runCommand('chown', ['-R', `${user}:`, folder.path]);
  const command = findProgram('mariadbd') ?? 'mariadbd';
  const flags = [
    '--no-defaults',
    `--datadir=${dataDir}`,
    temporaryFolderFlag(folder.path),
    `--socket=${socket}`,
    '--bind-address=127.0.0.1',
    '--max-connections=500',
    ...mariaDbFlags(false),
    ...galeraFlags(ports, index),
  ];
  const process = new ServerProcess({
    command,
    args: async () => [...flags, ...(await startFlags(dataDir, () => recover(command, flags)))],
    folder,
    user,
    ready: () => untilSynced(port),
    readyTimeoutSeconds: 60,
  });
  return databaseServerOf(process, { kind: 'mariadb', port, socket, dataDir });
}

/** The output of mariadbd --wsrep-recover. */
function recover(command: string, flags: string[]): Promise<string> {
  const asUser = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : [];
  return runCommand('setpriv', [...asUser, '--', command, ...flags, '--wsrep-recover', '--disable-log-error']);
}

async function untilSynced(port: number): Promise<void> {
  const [status] = await runSql(databaseUrl(port), "SHOW STATUS LIKE 'wsrep_local_state_comment'");
  if (status?.['Value'] !== 'Synced') throw new Error(`state ${String(status?.['Value'])}`);
}
