import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { endForReader } from '../../src/http/response/linger.js';

/** The time limit of the connection right after a response of this size was ended for a client that reads nothing. */
async function limitAfter(bytes: number): Promise<number | undefined> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const limit = await new Promise<number | undefined>((resolve) =>
    server.once('request', ({ socket }: IncomingMessage, response) => {
      endForReader(response, Buffer.alloc(bytes));
      resolve(socket.timeout);
    }),
  );
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
  return limit;
}

it('limits how long a client may stop reading a response that the operating system does not take at once', async () => {
  expect(await limitAfter(64 * 1024 * 1024)).toBe(30_000);
});

it('takes no timer for a response that is sent at once', async () => {
  expect(await limitAfter(100)).not.toBe(30_000);
});
