import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { sendBytes } from '../api/raw-http.js';
import { basicAuthorization } from '../support/client.js';
import { findFreePort } from '../support/servers/free-port.js';
import { until } from '../support/waiting.js';

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));

/** The built service at `debug`, with the given standard output; what it says there nobody may read. */
async function startLogging(
  output: 'pipe' | number,
  variables: Record<string, string> = {},
): Promise<{ url: string; child: ChildProcess; stop: () => Promise<unknown[]> }> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [resolve('dist/src/main.js')], {
    cwd: mkdtempSync(join(tmpdir(), 'reading-list-log-')),
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'sqlite::memory:',
      ...variables,
    },
    stdio: ['ignore', output, 'ignore'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  for (let turn = 0; (await fetch(`${url}/__lbheartbeat__`).catch(() => undefined))?.status !== 200; turn++) {
    if (turn > 1_000 || child.exitCode !== null) throw new Error('the service did not start');
    await sleep(50);
  }
  return {
    url,
    child,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** More requests are not kept waiting on one connection. */
const AT_ONCE = 100;

/** Far more lines than a pipe and the buffer before it hold. */
async function makeLines(url: string, count = 8_000): Promise<void> {
  const line = 'GET /v2/nowhere HTTP/1.1\r\nHost: x\r\n';
  const requests = `${`${line}\r\n`.repeat(AT_ONCE - 1)}${line}Connection: close\r\n\r\n`;
  for (let made = 0; made < count; made += AT_ONCE)
    expect((await sendBytes(url, requests)).match(/HTTP\/1\.1 404 /g)).toHaveLength(AT_ONCE);
}

async function expectServesAndEnds({ url, stop }: Awaited<ReturnType<typeof startLogging>>): Promise<void> {
  expect((await fetch(`${url}/v2`)).status).toBe(200);
  const start = performance.now();
  expect(await stop()).toEqual([0, null]);
  expect(performance.now() - start).toBeLessThan(10_000);
}

describe('the service answers, and ends with status 0, though its log', { timeout: 180_000 }, () => {
  it('goes to a disk that is full', async () => {
    const full = openSync('/dev/full', 'w');
    const service = await startLogging(full, { METRICS_PORT: '0' });
    closeSync(full);
    await makeLines(service.url, 2_000);
    await expectServesAndEnds(service);
  });

  it('goes to a reader that is stuck', async () => {
    const service = await startLogging('pipe');
    service.child.stdout!.pause();
    await makeLines(service.url);
    await expectServesAndEnds(service);
  });

  it('goes to a reader that went away', async () => {
    const service = await startLogging('pipe');
    service.child.stdout!.destroy();
    await makeLines(service.url, 2_000);
    await expectServesAndEnds(service);
  });

  it('goes to a socket whose reader is stuck', async () => {
    const server = createServer((socket) => socket.pause()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
    await once(socket, 'connect');
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const service = await startLogging(fd);
    await makeLines(service.url, 2_000);
    await expectServesAndEnds(service);
    socket.destroy();
    server.close();
  });
});

it('a reader that was stuck is told how many lines it lost', { timeout: 180_000 }, async () => {
  const service = await startLogging('pipe');
  const output = service.child.stdout!;
  output.pause();
  await makeLines(service.url);
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString())).resume();
  await expect.poll(() => text, { timeout: 30_000 }).toMatch(/"msg":"log lines were lost: \d+"/);
  await expectServesAndEnds(service);
});

describe.concurrent('further signals change nothing for a request in flight', () => {
  it.each([['SIGTERM'], ['SIGINT'], ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGTERM']] as NodeJS.Signals[][])(
    '%s %s %s %s',
    async (...signals) => {
      const { url, child, stop } = await startLogging('pipe');
      child.stdout!.resume();
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      const authorization = basicAuthorization('slow');
      const body = '{"url":"https://example.com/","title":"T","added_by":"x"}';
      socket.write(
        `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      // The request is in flight when its head was read.
      await until(() => received === 'HTTP/1.1 100 Continue\r\n\r\n');
      received = '';
      const stopped = stop();
      for (const signal of signals) {
        await sleep(50);
        child.kill(signal);
      }
      await sleep(200);
      socket.write(body);
      await once(socket, 'close');
      expect(received).toMatch(/^HTTP\/1.1 201 Created\r\n/);
      expect(await stopped).toEqual([0, null]);
    },
  );
});
