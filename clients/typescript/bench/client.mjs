// npm run bench:client: a device with 10,000 articles, against the built service with SQLite in memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient, openReadingList } from '../dist/index.js';
import { memoryStorage } from '../dist/storage/memory.js';

const COUNT = 10_000;
const WORDS = 'tea water leaf cup steam kettle morning garden letter harbour window lamp paper river stone'.split(' ');
const text = (length, seed) => Array.from({ length }, (_, n) => WORDS[(seed * 7 + n * 13) % WORDS.length]).join(' ');

const service = spawn(process.execPath, ['dist/src/main.js'], {
  env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'fatal', BACKOFF: 'off' },
});
let output = '';
for await (const chunk of service.stdout) if (/listening on \S+\s/.test((output += chunk))) break;
const client = createClient({
  baseUrl: /listening on (\S+)/.exec(output)[1],
  authorization: `Basic ${btoa('bench:client')}`,
});

for (let start = 0; start < COUNT; start += 50)
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => start + n).map((n) =>
      client.create({
        url: `https://example.com/${n}`,
        title: `Article ${n}`,
        added_by: 'bench',
        excerpt: text(200, n),
      }),
    ),
  );

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const time = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const repeat = async (times, work) => {
  const results = [];
  for (let n = 0; n < times; n++) results.push(await time(() => work(n)));
  return median(results).toFixed(2);
};

globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const storage = memoryStorage();
const list = await openReadingList({ client, storage, device: 'bench' });
let result;
const first = await time(async () => (result = await list.sync()));
globalThis.gc?.();
const memory = (process.memoryUsage().heapUsed - before) / 2 ** 20;
const { key } = (await list.list({ limit: 1 }))[0];

console.log(`first sync of ${COUNT} articles: ${first.toFixed(0)} ms, ${result.requests} requests`);
console.log(`idle sync: ${await repeat(20, () => list.sync())} ms`);
console.log(`list of 50 out of ${COUNT}: ${await repeat(200, () => list.list({ unread: true, limit: 50 }))} ms`);
console.log(
  `the same right after an edit: ${await repeat(50, async (n) => {
    await list.favorite(key, n % 2 === 0);
    await list.list({ limit: 50 });
  })} ms`,
);
console.log(`count: ${await repeat(50, () => list.count({ unread: true }))} ms`);
console.log(`search for two words: ${await repeat(20, () => list.search('kettle article 99'))} ms`);
console.log(`memory: ${memory.toFixed(0)} MB`);
await list.close();
service.kill();
await once(service, 'exit');
