import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    remove: async () => {
      for (const { server } of sentinels) await server.remove();
      await replica.remove();
      await master.remove();
    },
  };
}

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
