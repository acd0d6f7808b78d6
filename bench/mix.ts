import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startHaproxy } from '../test/support/servers/haproxy.js';
import { type Bed, makeBed } from './bed.js';
import { short, table } from './figures.js';
import type { MixJob, MixResult } from './mix/devices.js';
import { startBuiltService, type Subject } from './subjects.js';

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '32' },
    users: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '15' },
    instances: { type: 'string', multiple: true, default: ['1', '2'] },
  },
});

/* The mixed load: devices that never pause, through HAProxy, on one instance of the service and on two. */
const bed = await makeBed('mariadb');
try {
  const results: Record<string, MixResult> = {};
  for (const instances of options.instances) results[instances] = await measure(bed, Number(instances));
  for (const [instances, result] of Object.entries(results)) print(Number(instances), result);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync('artefacts/bench-mix.json', JSON.stringify({ options, results }, null, 1));
} finally {
  await bed.close();
}
process.exit();

async function measure({ issuer, ...rest }: Bed, instances: number): Promise<MixResult> {
  const { databaseUrl } = await rest.another(`mix_${instances}`);
  const services: Subject[] = [];
  for (let at = 0; at < instances; at++)
    services.push(await startBuiltService({ databaseUrl, issuer, variables: { BACKOFF: 'auto' } }));
  const balancer = await startHaproxy({ backends: services.map(({ port }) => port) });
  try {
    const users = await rest.users('mixed', Number(options.users));
    const facts = { port: balancer.port, users, devices: Number(options.devices) };
    await load({ ...facts, seconds: 2 });
    return await load({ ...facts, seconds: Number(options.seconds) });
  } finally {
    await balancer.remove();
    for (const service of services) await service.stop();
  }
}

async function load(job: MixJob): Promise<MixResult> {
  const child = fork(join(import.meta.dirname, 'mix/devices.js'));
  child.send(job);
  const [result] = (await once(child, 'message')) as [MixResult];
  child.kill();
  return result;
}

function print(instances: number, { perSecond, actions, surprises }: MixResult): void {
  const rows = actions.map(({ action, done, refused, errors, p50, p99 }) => [
    action,
    done,
    short(p50),
    short(p99),
    refused,
    errors,
  ]);
  console.log(`\n${options.devices} devices, ${instances} instance(s): ${short(perSecond)} actions per second\n`);
  console.log(table(['action', 'done', 'p50 ms', 'p99 ms', 'refused', 'errors'], rows));
  for (const surprise of surprises) console.log(`unexpected: ${surprise}`);
}
