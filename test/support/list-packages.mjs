// With --import: prints the packages that the process has loaded to stderr when it exits.
import { createRequire, register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const urls = new Set();
const { port1, port2 } = new MessageChannel();
port1.on('message', (url) => urls.add(url)).unref();
const hook = `
  let port;
  export function initialize(data) { port = data; }
  export async function load(url, context, next) { port.postMessage(url); return next(url, context); }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: port2, transferList: [port2] });

process.once('exit', () => {
  const files = [...urls, ...Object.keys(createRequire(import.meta.url).cache)];
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  console.error(`packages: ${JSON.stringify([...new Set(names)].sort())}`);
});
