import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createMessages } from '../../src/http/server/express-messages.js';

let close = (): void => undefined;
afterEach(() => close());

/** The prototypes of the messages of one request before Express has seen them, and in its handler. */
async function prototypes(app: Express, messages: object): Promise<{ before: unknown[]; after: unknown[] }> {
  let seen: { before: unknown[]; after: unknown[] } | undefined;
  const of = (...objects: object[]): unknown[] => objects.map((object) => Object.getPrototypeOf(object) as unknown);
  const server = createServer(messages, (request, response) => {
    const before = of(request, response);
    app.get('/', (req, res) => {
      seen = { before, after: of(req, res) };
      res.json({ ip: req.ip });
    });
    app(request, response);
  }).listen(0, '127.0.0.1');
  close = () => void server.close();
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await answer.json()).toEqual({ ip: '127.0.0.1' });
  return seen!;
}

describe('messages of an Express application', () => {
  it('keep the prototypes that they were made with', async () => {
    const app = express();
    const { before, after } = await prototypes(app, createMessages(app));
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it('would get others without classes of their own', async () => {
    const { before, after } = await prototypes(express(), {});
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});
