// With --import: prints the packages that the process has loaded to stderr when it exits, also those within files of the bundle,
// which names where each part of it comes from; not these with ONLY_FILES=true.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
const hook = `
  let port;
  export function initialize(data) { port = data; }
  export async function load(url, context, next) { port.postMessage(url); return next(url, context); }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: port2, transferList: [port2] });

process.once('exit', () => {
  const urls = [];
  for (let read = receiveMessageOnPort(port1); read; read = receiveMessageOnPort(port1)) urls.push(read.message);
  const files = [...urls, ...Object.keys(createRequire(import.meta.url).cache)];
  const bundled = files
    .filter((file) => file.includes('/dist/bundle/'))
    .map((file) => readFileSync(new URL(file), 'utf8'));
  const parts = process.env.ONLY_FILES
    ? []
    : bundled.flatMap((text) => text.match(/(?<=^\/\/ )node_modules\/\S+$/gm) ?? []);
  const names = [...files, ...parts].flatMap((file) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  console.error(`packages: ${JSON.stringify([...new Set(names)].sort())}`);
});
