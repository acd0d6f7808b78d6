import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { DevelopmentProvider } from '../../dev/provider.js';
import { launchChromium } from '../auth/chromium.js';
import { BACKENDS } from '../operations/backends.js';
import { basicAuthorization } from '../support/client.js';
import { findFreePort } from '../support/servers/free-port.js';
import type { TestDatabase } from '../support/database.js';
import { type Service, startService } from '../support/service.js';

/** A browser and the built service on a database of its own, always at the same address. */
export class World {
  browser!: Browser;
  service!: Service;
  /** What the service and the operator's commands are told. */
  settings: Record<string, string> = {};
  private database: TestDatabase | undefined;
  /** Where users sign in; undefined where they do it by name and password. */
  private provider: DevelopmentProvider | undefined;

  get url(): string {
    return this.service.url;
  }

  /** Whether users sign in by name and password. */
  get isByPassword(): boolean {
    return this.provider === undefined;
  }

  async open(backend: string, variables: Record<string, string>): Promise<void> {
    this.database = await BACKENDS[backend]!();
    this.settings = { DATABASE_URL: this.database.url, PORT: String(await findFreePort()), ...variables };
    await Promise.all([this.start(), launchChromium().then((browser) => (this.browser = browser))]);
  }

  /** Opens it with a development provider, which is then the only way in. */
  async openWithProvider(backend: string): Promise<void> {
    const { startDevelopmentProvider } = await import('../../dev/provider.js');
    this.provider = await startDevelopmentProvider({ port: 0 });
    await this.open(backend, { OAUTH_URI: this.provider.issuer, BASIC_AUTH_ENABLED: 'false' });
  }

  /** Starts the service, again after it was stopped. */
  async start(variables: Record<string, string> = {}): Promise<void> {
    this.service = await startService({ ...this.settings, MIGRATE_ON_START: 'true', ...variables });
  }

  async close(): Promise<void> {
    await Promise.all([this.browser?.close(), this.service?.stop(), this.provider?.close()]);
    await this.database?.drop();
  }

  /** A new device on the page of the application. */
  device(options?: BrowserContextOptions): Promise<Device> {
    return openDevice(this.browser, `${this.url}/app/`, options);
  }

  /** A new device of a user. */
  async deviceOf(name: string): Promise<Device> {
    const device = await this.device();
    await this.signIn(device.page, name);
    return device;
  }

  /** Signs in on the page in the way that the service takes. */
  signIn(page: Page, name: string): Promise<void> {
    return this.provider ? signInWithProvider(page, name) : signInByName(page, name);
  }

  /** What another device can do with the account of that name by the API alone. */
  async api(name: string): Promise<Api> {
    return apiWith(this.url, this.provider ? `Bearer ${await this.provider.issue(name)}` : basicAuthorization(name));
  }
}

/** Opens a world before the cases of the file or block that calls it, and closes it after them. */
export function useWorld(backend = 'SQLite', variables: () => Record<string, string> = () => ({})): World {
  const world = new World();
  beforeAll(() => world.open(backend, variables()));
  afterAll(() => world.close());
  return world;
}

/**
 * Runs cases on SQLite, where users sign in by name and password, and on MariaDB, where they do it with the development provider; on
 * SQLite `once` as well, what no database makes a difference to. One service is for all cases of a database.
 */
export function describeWorlds(
  title: string,
  onEach: (world: World) => void,
  once: (world: World) => void = () => undefined,
): void {
  describe.each(['SQLite', 'MariaDB'])(`${title}, on %s`, (backend) => {
    const world = new World();
    beforeAll(() => (backend === 'MariaDB' ? world.openWithProvider(backend) : world.open(backend, {})));
    afterAll(() => world.close());
    onEach(world);
    if (backend === 'SQLite') once(world);
  });
}

/** A browser with a profile of its own, on the page of the application. */
export interface Device {
  context: BrowserContext;
  page: Page;
  /** Errors of scripts and refusals of the page's policy: there are to be none. */
  problems: string[];
  close: () => Promise<void>;
}

/** Opens the application as on a device that has never seen it. */
export async function openDevice(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Device> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(url);
  return { context, page, problems, close: () => context.close() };
}

/** What a page sees of being the installed application; a browser without windows cannot emulate it. */
const INSTALLED = `const original = matchMedia;
  window.matchMedia = (query) => (query === '(display-mode: standalone)' ? { matches: true } : original(query));`;

/** The same in the window of the installed application, which is what share sheets open. */
export async function openInstalled(browser: Browser, url: string): Promise<Device> {
  const device = await openDevice(browser, 'about:blank');
  await device.page.addInitScript(INSTALLED);
  await device.page.goto(url);
  return device;
}

/** Collects errors of the page; that the network is away is no error of it. */
export function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return problems;
}

/** Signs in by name and password on the page that offers it, to stay signed in unless told otherwise. */
export async function signInByName(page: Page, name: string, keep = true): Promise<void> {
  await page.getByLabel('Stay signed in on this device').setChecked(keep);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await isSignedIn(page);
}

/** Signs in with the development provider. */
export async function signInWithProvider(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with your account' }).click();
  await page.getByText('wants to know who you are').waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isSignedIn(page);
}

/** Resolves when the list is shown. */
export const isSignedIn = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Save an article' }).waitFor();

/** Saves an article by its form. */
export async function save(page: Page, url: string, title = ''): Promise<void> {
  await page.getByRole('button', { name: 'Save an article' }).click();
  await page.getByLabel('Address').fill(url);
  if (title) await page.getByLabel('Title (optional)').fill(title);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The titles in sight, from top to bottom. */
export const titles = (page: Page): Promise<string[]> => page.locator('.list .row-title').allTextContents();

/** The row of an article. */
export const row = (page: Page, title: string) =>
  page.locator('.list .row').filter({ has: page.getByText(title, { exact: true }) });

/** Waits until the list shows exactly these titles. */
export const expectTitles = (page: Page, expected: string[], timeout = 15_000): Promise<void> =>
  expect.poll(() => titles(page), { timeout }).toEqual(expected);

/** What one device can do with the same account by the API alone. */
export const apiOf = (url: string, name: string) => apiWith(url, basicAuthorization(name));

export type Api = ReturnType<typeof apiWith>;

/** The same with any credentials. */
export function apiWith(url: string, authorization: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(`${url}/v2${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  return {
    call,
    create: (fields: Record<string, unknown>) => call('POST', '/articles', { added_by: 'phone', ...fields }),
    list: async (): Promise<Record<string, unknown>[]> => {
      const { body } = await call('GET', '/articles?_sort=-added_on&_limit=100');
      return body.items as Record<string, unknown>[];
    },
  };
}

/** A name that nobody else has. */
export const someName = (): string => `user-${randomUUID().slice(0, 8)}`;
