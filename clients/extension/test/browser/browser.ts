import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page, type Worker } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumArguments, ensureChromium } from '../../../../test/support/servers/chromium.js';

interface Manifest {
  optional_host_permissions: string[];
  host_permissions?: string[];
}

const BUILD = resolve(import.meta.dirname, '../../build.mjs');

/** Builds the extension for both browsers in a folder, which is not where somebody else may be building it. */
export const buildExtension = (folder: string): void =>
  void execFileSync(process.execPath, [BUILD, folder], { stdio: 'inherit' });

/** A browser with a profile of its own, in which the extension is installed. */
export class Browser {
  readonly #folder: string;
  readonly #cdp: CDPSession;

  private constructor(
    readonly context: BrowserContext,
    readonly id: string,
    folder: string,
    cdp: CDPSession,
  ) {
    this.#folder = folder;
    this.#cdp = cdp;
  }

  /**
   * @param built the folder that the extension was built in
   * @param hosts what the user has allowed: nobody can answer the browser's own question in a test, so the copy of the extension
   * that is loaded has these permissions from the beginning
   */
  static async start(built: string, hosts: string[], { language = 'en', dark = false } = {}): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'reading-list-extension-'));
    const extension = join(folder, 'extension');
    cpSync(join(built, 'chromium'), extension, { recursive: true });
    const path = join(extension, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    writeFileSync(path, JSON.stringify({ ...manifest, host_permissions: hosts, default_locale: language }));
    // Debian's Chromium is in English, and shows the default where it does not find its own.
    if (language !== 'en') rmSync(join(extension, '_locales/en'), { recursive: true });
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: await ensureChromium(),
      // The shell that Playwright would use without a window has no extensions.
      headless: false,
      ignoreDefaultArgs: ['--disable-extensions'],
      args: [...chromiumArguments, '--headless=new', '--enable-unsafe-extension-debugging'],
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width: 420, height: 400 },
    });
    context.setDefaultTimeout(15_000);
    const cdp = await context.browser()!.newBrowserCDPSession();
    const { id } = (await send(cdp, 'Extensions.loadUnpacked', { path: extension })) as { id: string };
    return new Browser(context, id, folder, cdp);
  }

  async close(): Promise<void> {
    await this.context.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The background script, which the browser may have ended and started again. */
  async background(): Promise<Worker> {
    return (
      this.context.serviceWorkers().find((worker) => worker.url().includes(this.id)) ??
      this.context.waitForEvent('serviceworker')
    );
  }

  /** A page of the web in a tab. */
  async open(url: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(url);
    return page;
  }

  /** A page of the extension in a tab. */
  openOwn(path: string): Promise<Page> {
    return this.open(`chrome-extension://${this.id}/${path}`);
  }

  /** Clicks the extension's button, in the tab of the page; the popup that opens. */
  async clickButton(page: Page): Promise<Popup> {
    await page.bringToFront();
    const session = await this.context.newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    const tabs = await this.#targets('tab');
    const tab = tabs.find(({ url, targetId }) => url === targetInfo.url && targetId) ?? {
      targetId: targetInfo.targetId,
    };
    await send(this.#cdp, 'Extensions.triggerAction', { id: this.id, targetId: tab.targetId });
    const find = async () => (await this.#targets('page')).find(({ url }) => url.endsWith(`${this.id}/popup.html`));
    await expect.poll(find, { timeout: 10_000 }).toBeDefined();
    return Popup.attach(this.#cdp, (await find())!.targetId);
  }

  /** Ends the background script, as the browser does when it has nothing to do. */
  async endBackground(): Promise<void> {
    const page = await this.openOwn('options.html');
    const session = await this.context.newCDPSession(page);
    const stopped = new Promise<void>((resolve) =>
      session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        if (versions.some(({ runningStatus }) => runningStatus === 'stopped')) resolve();
      }),
    );
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await stopped;
    await session.detach();
    await page.close();
  }

  /** Runs a function in the background script. */
  async evaluate<T>(work: () => T | Promise<T>): Promise<T> {
    return (await this.background()).evaluate(work);
  }

  /** Has the background script hear an event of the browser, with the tab that is in sight. */
  async dispatch(event: string, detail: unknown): Promise<void> {
    await (
      await this.background()
    ).evaluate(
      async ([name, value]) => {
        const [tab] = await chrome.tabs.query({ active: true, windowType: 'normal' });
        const [area, member] = name.split('.') as ['commands', 'onCommand'];
        const target = chrome[area][member] as unknown as { dispatch(...values: unknown[]): void };
        target.dispatch(value, tab);
      },
      [event, detail] as [string, unknown],
    );
  }

  /** What the button shows on the tab that is in sight. */
  badge(): Promise<string> {
    return this.evaluate(async () => {
      const [tab] = await chrome.tabs.query({ active: true, windowType: 'normal' });
      return chrome.action.getBadgeText({ tabId: tab!.id! });
    });
  }

  async #targets(type: string): Promise<{ targetId: string; url: string }[]> {
    const { targetInfos } = await this.#cdp.send('Target.getTargets', { filter: [{ type }] });
    return targetInfos;
  }
}

/** The popup, which Playwright does not know as a page. */
export class Popup {
  readonly #cdp: CDPSession;
  readonly #sessionId: string;
  readonly #waiting = new Map<number, (result: { result?: { value?: unknown }; exceptionDetails?: object }) => void>();
  #last = 0;

  private constructor(cdp: CDPSession, sessionId: string) {
    this.#cdp = cdp;
    this.#sessionId = sessionId;
    cdp.on('Target.receivedMessageFromTarget', ({ sessionId: from, message }) => {
      if (from !== sessionId) return;
      const { id, result } = JSON.parse(message) as { id: number; result: object };
      this.#waiting.get(id)?.(result);
    });
  }

  static async attach(cdp: CDPSession, targetId: string): Promise<Popup> {
    const { sessionId } = await cdp.send('Target.attachToTarget', { targetId });
    return new Popup(cdp, sessionId);
  }

  async evaluate<T>(expression: string): Promise<T> {
    const id = ++this.#last;
    const answer = new Promise<{ result?: { value?: unknown }; exceptionDetails?: object }>((resolve) =>
      this.#waiting.set(id, resolve),
    );
    const params = { expression, awaitPromise: true, returnByValue: true };
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params });
    await this.#cdp.send('Target.sendMessageToTarget', { sessionId: this.#sessionId, message });
    const { result, exceptionDetails } = await answer;
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result?.value as T;
  }

  text(): Promise<string> {
    return this.evaluate('document.body.innerText');
  }

  /** Waits until the popup says so. */
  async says(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.text(), { timeout: 10_000 }).toMatch(text);
  }

  /** Clicks the button of that name. */
  async click(name: string): Promise<void> {
    const find = `[...document.querySelectorAll('button')].find((button) => (button.ariaLabel ?? button.textContent) === ${JSON.stringify(name)})`;
    await expect.poll(() => this.evaluate(`Boolean(${find})`), { timeout: 10_000, message: name }).toBe(true);
    await this.evaluate(`${find}.click()`);
  }

  /** Closes it, as a click beside it does. */
  async close(): Promise<void> {
    await this.evaluate('setTimeout(() => window.close())');
  }
}

/** Playwright's types do not know this part of the protocol. */
const send = (cdp: CDPSession, method: string, parameters: object): Promise<unknown> =>
  (cdp.send as (method: string, parameters: object) => Promise<unknown>).call(cdp, method, parameters);

/** Pages on loopback, under a host name that the extension has no permission for unless a test says so. */
export class Site {
  readonly pages = new Map<string, string>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Site> {
    const server = createServer();
    const site = new Site(server);
    server.on('request', ({ url = '' }, response) => {
      const html = site.pages.get(url.replace(/\?.*/, ''));
      response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  /** @returns its URL */
  publish(path: string, html: string): string {
    this.pages.set(path, html);
    return `http://localhost:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
