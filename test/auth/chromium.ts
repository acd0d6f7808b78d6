import { mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArguments, ensureChromium, ensureHeadlessShell } from '../support/servers/chromium.js';

/** Starts the system's browser without a window, and without what surrounds its pages. */
export const launchChromium = async (): Promise<Browser> => launch(await ensureHeadlessShell());

/** Starts the whole browser without a window: the other one may never load a window that has no opener. */
export const launchWholeChromium = async (): Promise<Browser> => launch(await ensureChromium());

const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...chromiumArguments] });

/** Keeps a picture of the page, for whoever looks at the test run. */
export async function photograph(page: Page, name: string): Promise<void> {
  mkdirSync('artefacts', { recursive: true });
  await page.screenshot({ path: `artefacts/${name}.png`, fullPage: true });
}

/** What a page sends, as it is seen on the network. */
export interface Sent {
  /** Without fragment; preflights are not listed. */
  urls: string[];
  /** The headers as they were sent, preflights included. */
  headers: Record<string, string>[];
}

/** Collects from now on what the page sends. */
export async function watchNetwork(page: Page): Promise<Sent> {
  const sent: Sent = { urls: [], headers: [] };
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ request }) => sent.urls.push(request.url));
  session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => sent.headers.push({ ...headers }));
  return sent;
}
