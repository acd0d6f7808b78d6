import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram } from './command.js';
import { findFreePort } from './free-port.js';
import { startServer } from './process.js';
import { answersPing, type RedisServer, startRedis } from './redis.js';
import { createScratchFolder } from './scratch-folder.js';

const SENTINELS = 3;
const PASSWORD = 'p@ss:word';

/** A master, its replica, and three Sentinels that fail over within seconds. */
export interface RedisSentinels {
  /** `redis-sentinel://:PASSWORD@127.0.0.1:PORT,…/mymaster/3`. */
  url: string;
  sentinelPorts: number[];
  master: RedisServer;
  /** Whether each Sentinel knows the others, and a replica that is in step: then they can replace the master. */
  canFailOver(): Promise<boolean>;
  remove(): Promise<void>;
}

export async function startRedisSentinels(): Promise<RedisSentinels> {
  const secured = ['--requirepass', PASSWORD, '--masterauth', PASSWORD, '--repl-diskless-sync-delay', '0'];
  const master = await startRedis({ extraFlags: secured });
  const replica = await startRedis({ extraFlags: [...secured, '--replicaof', '127.0.0.1', String(master.port)] });
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(master.port)));
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis-sentinel://:${encodeURIComponent(PASSWORD)}@${hosts}/mymaster/3`,
    sentinelPorts: sentinels.map(({ port }) => port),
    master,
    canFailOver: async () => (await Promise.all(sentinels.map(({ port }) => seesAll(port)))).every(Boolean),
    remove: async () => {
      for (const { server } of sentinels) await server.remove();
      await replica.remove();
      await master.remove();
    },
  };
}

async function seesAll(port: number): Promise<boolean> {
  const sentinel = new Redis(port, '127.0.0.1');
  try {
    const master = (await sentinel.call('SENTINEL', 'MASTER', 'mymaster')) as string[];
    const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', 'mymaster')) as string[][];
    const others = valueIn(master, 'num-other-sentinels');
    return others === String(SENTINELS - 1) && replicas.some((one) => valueIn(one, 'master-link-status') === 'ok');
  } finally {
    sentinel.disconnect();
  }
}

/** In a list of names, each before its value. */
const valueIn = (list: string[], name: string): string | undefined => list[list.indexOf(name) + 1];

async function startSentinel(masterPort: number) {
  const port = await findFreePort();
  const folder = createScratchFolder();
  const file = join(folder.path, 'sentinel.conf');
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
dir ${folder.path}
sentinel monitor mymaster 127.0.0.1 ${masterPort} 2
sentinel auth-pass mymaster ${PASSWORD}
sentinel down-after-milliseconds mymaster 1000
sentinel failover-timeout mymaster 3000
`,
  );
  const command = findProgram('redis-server') ?? 'redis-server';
  const ready = () => answersPing(port);
  return { port, server: await startServer({ command, args: [file, '--sentinel'], folder, ready }) };
}
