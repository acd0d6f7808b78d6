import { findFreePort } from './free-port.js';

/** The TCP ports of a node: for clients, for the group, and for incremental and whole state transfers. */
export interface GaleraPorts {
  sql: number;
  group: number;
  incremental: number;
  transfer: number;
}

/** By default a lost node is detected after 5 seconds, and joining takes twice as long. */
const quickTimers = {
  'evs.join_retrans_period': 'PT0.2S',
  'evs.install_timeout': 'PT2S',
  'evs.keepalive_period': 'PT0.3S',
  'evs.inactive_check_period': 'PT0.2S',
  'evs.suspect_timeout': 'PT2S',
  'evs.inactive_timeout': 'PT4S',
  'gmcast.time_wait': 'PT1S',
};

/** Free ports for a number of nodes. */
export async function nextGaleraPorts(nodeCount: number): Promise<GaleraPorts[]> {
  const ports: GaleraPorts[] = [];
  while (ports.length < nodeCount) {
    ports.push({
      sql: await findFreePort(),
      group: await findFreePort(),
      incremental: await findFreePort(),
      transfer: await findFreePort(),
    });
  }
  return ports;
}

/** The flags of mariadbd for the node with this index in the cluster with these ports. */
export function galeraFlags(ports: GaleraPorts[], index: number): string[] {
  const own = ports[index] as GaleraPorts;
  const providerOptions = {
    'gmcast.listen_addr': `tcp://127.0.0.1:${own.group}`,
    'ist.recv_addr': `127.0.0.1:${own.incremental}`,
    'gcache.size': '32M',
    ...quickTimers,
  };
  return [
    `--port=${own.sql}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--default-storage-engine=InnoDB',
    '--wsrep-on=ON',
    '--wsrep-provider=/usr/lib/galera/libgalera_smm.so',
    '--wsrep-cluster-name=reading-list',
    `--wsrep-cluster-address=gcomm://${ports.map(({ group }) => `127.0.0.1:${group}`).join(',')}`,
    `--wsrep-node-name=n${index + 1}`,
    `--wsrep-node-address=127.0.0.1:${own.group}`,
    `--wsrep-node-incoming-address=127.0.0.1:${own.sql}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${own.transfer}`,
    '--wsrep-slave-threads=2',
    `--wsrep-provider-options=${Object.entries(providerOptions)
      .map((option) => option.join('='))
      .join(';')}`,
  ];
}
