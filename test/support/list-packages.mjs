// With --import: prints the packages that the process has loaded to stderr when it exits, also those within files of the bundle;
// not these with ONLY_FILES=true.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const CONTENTS = new URL('../../dist/bundle/contents.json', import.meta.url);
const { port1, port2 } = new MessageChannel();
const hook = `
  let port;
  export function initialize(data) { port = data; }
  export async function load(url, context, next) { port.postMessage(url); return next(url, context); }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: port2, transferList: [port2] });

process.once('exit', () => {
  const urls = [];
  for (let read = receiveMessageOnPort(port1); read; read = receiveMessageOnPort(port1)) urls.push(read.message);
  const required = Object.keys(createRequire(import.meta.url).cache);
  const files = [...urls, ...required];
  const contents = process.env.ONLY_FILES ? {} : JSON.parse(readFileSync(CONTENTS, 'utf8'));
  const parts = required.flatMap((file) => contents[file.split('/dist/bundle/')[1]] ?? []);
  const names = [...files, ...parts].flatMap((file) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  console.error(`packages: ${JSON.stringify([...new Set(names)].sort())}`);
});
