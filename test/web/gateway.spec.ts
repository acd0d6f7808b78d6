import { createServer, request, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiOf, expectTitles, openDevice, save, signInByName, someName, useWorld } from './device.js';

const world = useWorld();
const SIGN_IN = '<!doctype html><form method="post"><button>Enter</button></form>';

let server: Server;
let gateway: string;
let isOpen = true;
/** Requests that came without the cookie although the page had it. */
let refused: string[] = [];

/** A gateway as companies put before everything: without its cookie each request goes to its own sign-in page. */
const guard: RequestListener = (incoming, outgoing) => {
  const { method, url, headers } = incoming;
  if (url === '/gate') {
    if (method !== 'POST') return outgoing.setHeader('Content-Type', 'text/html').end(SIGN_IN);
    isOpen = true;
    return outgoing
      .writeHead(303, { 'Set-Cookie': 'gate=open; Path=/; HttpOnly; SameSite=Lax', Location: '/app/' })
      .end();
  }
  if (!isOpen || !headers.cookie?.includes('gate=open')) {
    refused.push(url!);
    return outgoing.writeHead(302, { Location: '/gate' }).end();
  }
  const forward = request(new URL(url!, world.url), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
  });
  forward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => forward.destroy());
  incoming.pipe(forward);
};

beforeAll(async () => {
  server = createServer(guard).listen(0, '127.0.0.1');
  await once(server, 'listening');
  gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('the application works behind a gateway that wants its cookie for everything, and finds its way back when that has ended', async () => {
  const name = someName();
  const { page, context, problems, close } = await openDevice(world.browser, `${gateway}/app/`);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByLabel('Name').waitFor();
  refused = [];
  await signInByName(page, name);
  await save(page, 'https://example.com/a', 'A');
  const stored = async () => (await apiOf(world.url, name).list()).map(({ url }) => url);
  await expect.poll(stored).toEqual(['https://example.com/a']);
  expect(refused).toEqual([]);
  const manifest = page.locator('link[rel="manifest"]');
  expect(await manifest.getAttribute('crossorigin')).toBe('use-credentials');

  isOpen = false;
  server.closeAllConnections();
  await page.getByText('Something other than the service is responding').waitFor();
  await save(page, 'https://example.com/b', 'B');
  const [tab] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: 'Open it' }).click()]);
  await tab.getByRole('button', { name: 'Enter' }).click();
  await tab.waitForURL('**/app/');
  await expect.poll(stored, { timeout: 20_000 }).toEqual(['https://example.com/b', 'https://example.com/a']);
  await expectTitles(page, ['B', 'A']);
  expect(problems).toEqual([]);
  await close();
});
