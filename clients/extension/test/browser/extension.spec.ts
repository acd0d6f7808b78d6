import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPersonalToken } from '../../../typescript/test/support/personal-token.js';
import { ask, basic, serverArticles } from '../../../typescript/test/support/world.js';
import { Browser, buildExtension, type Popup } from './browser.js';
import { useWorld } from './world.js';

const ID = 'bjeogocfnacfdgfigaialhidmacakoce';
const SERVICE_ONLY = ['http://127.0.0.1/*'];
const EVERYWHERE = ['http://*/*', 'https://*/*'];

const built = mkdtempSync(join(tmpdir(), 'reading-list-built-'));
const world = useWorld(`${ID}.chromiumapp.org`);
let browser: Browser;
/** One in German, in the dark, whose user has allowed all sites. */
let other: Browser;

beforeAll(async () => {
  buildExtension(built);
  [browser, other] = await Promise.all([
    Browser.start(built, SERVICE_ONLY),
    Browser.start(built, EVERYWHERE, { language: 'de', dark: true }),
  ]);
});
afterEach(() => world.proxy.restore());
afterAll(async () => {
  await Promise.all([browser?.close(), other?.close()]);
  rmSync(built, { recursive: true });
});

const sentence = 'The tide comes in twice a day and nobody has ever thanked it for that.';
const article = (title: string, paragraphs = 8) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1>
  ${`<p>${sentence} ${sentence}</p>`.repeat(paragraphs)}</article><p><a href="/linked">More</a></p></body></html>`;

/** The service's address, typed into the options. */
async function connect() {
  const options = await browser.openOwn('options.html');
  await options.getByLabel('Address of the service').fill(`${world.url}/app/`);
  await options.getByRole('button', { name: 'Connect' }).click();
  return options;
}

async function signIn(name: string): Promise<void> {
  const options = await connect();
  await options.getByLabel('Name', { exact: true }).fill(name);
  await options.getByLabel('Password', { exact: true }).fill('secret');
  await options.getByRole('form', { name: 'Name and password' }).getByRole('button').click();
  await options.getByRole('heading', { name: `Signed in as ${name}` }).waitFor();
  await options.close();
}

/** What the service has of the user, by URL. */
const onServer = (user: string) => serverArticles(world.service.url, basic(user));

const titlesOf = (popup: Popup) =>
  popup.evaluate<string[]>(
    "[...document.querySelectorAll('.unread a')].map((link) => link.firstChild.textContent.trim())",
  );

describe('a page', () => {
  beforeAll(() => signIn('alice'));

  it('is saved by the button with all its fields', async () => {
    const url = world.site.publish('/tides', article('Tides'));
    const page = await browser.open(`${url}#part`);
    const popup = await browser.clickButton(page);
    await popup.says(/^Tides\n[^]*^Saved$/m);
    await expect
      .poll(() => onServer('alice'))
      .toMatchObject([
        {
          url,
          title: 'Tides',
          resolved_title: 'Tides',
          resolved_url: url,
          is_article: true,
          word_count: 240,
          added_by: 'Chrome on Linux (extension)',
        },
      ]);
    expect((await onServer('alice'))[0]!.excerpt).toContain(sentence);
    await expect.poll(() => browser.badge()).toBe('✓');
    await popup.close();
    await page.close();
  });

  it('is saved beside others of a site that names one canonical URL for all of them', async () => {
    await signIn('alice-static');
    const head = '<link rel="canonical" href="/start"><title>';
    const urls = ['/static/1', '/static/2'].map((path) =>
      world.site.publish(path, article(path).replace('<title>', head)),
    );
    for (const url of urls) {
      const page = await browser.open(url);
      const popup = await browser.clickButton(page);
      await popup.says(/^Saved$/m);
      await popup.close();
      await page.close();
    }
    await expect.poll(async () => (await onServer('alice-static')).map(({ url }) => url).sort()).toEqual(urls);
  });

  it('that is on the list is shown as it is, also at an address with tracking parameters', async () => {
    const user = 'alice-knows';
    const url = world.site.publish('/known', article('Known'));
    await ask(world.service.url, basic(user), 'POST', '/articles', {
      url,
      title: 'Known for long',
      added_by: 'phone',
      word_count: 200,
      read_position: 50,
      favorite: true,
    });
    await signIn(user);
    const page = await browser.context.newPage();
    const list = await browser.clickButton(page);
    await list.says('Known for long');
    await list.close();
    await page.goto(`${url}?utm_source=feed`);
    const popup = await browser.clickButton(page);
    await popup.says(/^Known for long\n[^]*25% read[^]*Already on your list/m);
    expect(await onServer(user)).toMatchObject([{ title: 'Known for long', favorite: true }]);
    await popup.close();
    await page.close();
  });

  it('can be made a favourite, archived, read and deleted, and each of that undone', async () => {
    const user = 'alice-acts';
    await signIn(user);
    const page = await browser.open(world.site.publish('/acts', article('Acts')));
    const popup = await browser.clickButton(page);
    await popup.says('Saved');
    const states = async () =>
      (await onServer(user)).map(({ favorite, archived, unread }) => ({ favorite, archived, unread }));
    const before = { favorite: false, archived: false, unread: true };
    await expect.poll(states).toEqual([before]);
    for (const [button, told, change] of [
      ['Add to favourites', 'Added to favourites', { favorite: true }],
      ['Archive', 'Archived', { archived: true }],
      ['Mark as read', 'Marked as read', { unread: false }],
    ] as const) {
      await popup.click(button);
      await popup.says(told);
      await expect.poll(states).toEqual([{ ...before, ...change }]);
      await popup.click('Undo');
      await popup.says('Undone');
      await expect.poll(states).toEqual([before]);
    }
    await popup.click('Delete');
    await popup.says('Deleted');
    await expect.poll(states).toEqual([]);
    await popup.click('Undo');
    await expect.poll(states).toEqual([before]);
    expect(await onServer(user)).toMatchObject([{ title: 'Acts', word_count: 240 }]);
    await popup.close();
    await page.close();
  });

  it('without a web address is not saved, and the unread articles are shown all the same', async () => {
    const page = await browser.context.newPage();
    const popup = await browser.clickButton(page);
    await popup.says('This page has no web address that can be saved.');
    expect(await titlesOf(popup)).toEqual(['Acts']);
    await popup.close();
    await page.close();
  });
});

describe('without the service,', () => {
  it('a page is saved at once, survives the end of the background script, and is sent later', async () => {
    const user = 'bob';
    await signIn(user);
    await world.proxy.refuse();
    const page = await browser.open(world.site.publish('/offline', article('Offline')));
    const popup = await browser.clickButton(page);
    await popup.says(/Saved[^]*Changes are sent later\. · 1 change to send/);
    await popup.close();
    await browser.endBackground();
    await world.proxy.restore();
    expect(await onServer(user)).toEqual([]);
    const again = await browser.clickButton(page);
    await again.says('Already on your list');
    await expect.poll(() => onServer(user)).toMatchObject([{ title: 'Offline', word_count: 240 }]);
    await again.close();
    await page.close();
  });
});

it('what the service refuses later is told in the popup', async () => {
  const user = 'greta';
  for (const n of [1, 2, 3, 4])
    await ask(world.service.url, basic(user), 'POST', '/articles', {
      url: `https://example.com/${n}`,
      title: `Article ${n}`,
      added_by: 'phone',
    });
  await signIn(user);
  const url = world.site.publish('/fifth', article('Fifth'));
  const page = await browser.open(url);
  const popup = await browser.clickButton(page);
  await popup.says(`A change to ${url} could not be kept.`);
  await popup.click('Dismiss');
  await expect.poll(() => popup.text()).not.toContain('could not be kept');
  await popup.close();
  await page.close();
});

describe('without a popup,', () => {
  it('a link is saved from its menu', async () => {
    const user = 'carol';
    await signIn(user);
    const page = await browser.open(world.site.publish('/menu', article('Menu')));
    const link = world.site.publish('/linked', article('Linked'));
    // What the browser does for a choice in its menu.
    await browser.dispatch('contextMenus.onClicked', { menuItemId: 'save-link', linkUrl: `${link}#top` });
    await expect.poll(() => browser.badge()).toBe('✓');
    await expect.poll(() => onServer(user)).toMatchObject([{ url: link, title: null, word_count: null }]);
    await page.close();
  });

  it('a saved link is completed by the button on its page, but for what has been set meanwhile', async () => {
    const user = 'carol';
    const link = world.site.publish('/linked', article('Linked'));
    const [{ id }] = (await onServer(user)) as [{ id: string }];
    await ask(world.service.url, basic(user), 'PATCH', `/articles/${id}`, { title: 'Mine' });
    const page = await browser.open(link);
    const popup = await browser.clickButton(page);
    await popup.says('Already on your list');
    await expect
      .poll(() => onServer(user))
      .toMatchObject([{ url: link, title: 'Mine', resolved_title: 'Linked', word_count: 240, unread: true }]);
    expect((await onServer(user))[0]!.excerpt).toContain(sentence);
    await popup.says('Mine');
    await popup.close();
    await page.close();
  });

  it('an address that cannot be saved is told on the button', async () => {
    const page = await browser.open(world.site.publish('/mail', article('Mail')));
    await browser.dispatch('contextMenus.onClicked', { menuItemId: 'save-link', linkUrl: 'mailto:carol@example.com' });
    await expect.poll(() => browser.badge()).toBe('!');
    await page.close();
  });
});

describe('signing in', () => {
  const loseToken = () =>
    browser.evaluate(async () => {
      const { session } = await chrome.storage.local.get<{ session: object }>('session');
      await chrome.storage.local.set({ session: { ...session, authorization: 'Bearer worthless' } });
    });

  it('with the provider goes by the login of the service', async () => {
    const options = await connect();
    const opening = browser.context.waitForEvent('page');
    await options.getByRole('button', { name: 'Sign in with your account' }).click();
    const login = await opening;
    await login.getByLabel('Name').fill('dora');
    await login.getByRole('button', { name: 'Sign in' }).click();
    await options.getByRole('heading', { name: 'Signed in as dora' }).waitFor();
    await options.close();
    const page = await browser.open(world.site.publish('/provider', article('Provider')));
    const popup = await browser.clickButton(page);
    await popup.says(/Saved[^]*Up to date/);
    const token = `Bearer ${await world.provider.issue('dora')}`;
    await expect.poll(() => serverArticles(world.service.url, token)).toMatchObject([{ title: 'Provider' }]);
    await popup.close();
    await page.close();
  });

  it('with a token that is not good is refused', async () => {
    const options = await connect();
    await options.getByLabel('Personal token').last().fill('rl_wrong');
    await options.getByRole('form', { name: 'Personal token' }).getByRole('button').click();
    await options.getByText('The service did not accept this.').waitFor();
    expect(await options.getByRole('heading', { name: 'Signed in as dora' }).count()).toBe(1);
    await options.close();
  });

  it('again, after the token has become worthless, sends what was saved meanwhile', async () => {
    await loseToken();
    const page = await browser.open(world.site.publish('/refused', article('Refused')));
    const popup = await browser.clickButton(page);
    await popup.says(/Saved[^]*The service has signed you out\.[^]*1 change to send[^]*Sign in again/);
    await expect.poll(() => browser.evaluate(() => chrome.action.getBadgeText({}))).toBe('!');
    await popup.close();
    const options = await connect();
    const opening = browser.context.waitForEvent('page');
    await options.getByRole('button', { name: 'Sign in with your account' }).click();
    const login = await opening;
    await login.getByLabel('Name').fill('dora');
    await login.getByRole('button', { name: 'Sign in' }).click();
    const token = `Bearer ${await world.provider.issue('dora')}`;
    const titles = async () => (await serverArticles(world.service.url, token)).map(({ title }) => title);
    await expect.poll(titles, { timeout: 10_000 }).toEqual(['Provider', 'Refused']);
    await expect.poll(() => browser.evaluate(() => chrome.action.getBadgeText({}))).toBe('');
    await options.close();
    await page.close();
  });

  it('with another token at a service without the web application keeps the list, and sends what was saved meanwhile', async () => {
    const user = randomUUID();
    const tokens: string[] = [];
    for (const name of ['first', 'second'])
      tokens.push(await createPersonalToken(world.databaseUrl, user, '--name', name));
    await browser.context.route('**/app/*', (route) =>
      route.fulfill({ status: 404, json: { code: 404, errno: 111, error: 'Not Found', message: 'no' } }),
    );
    onTestFinished(() => browser.context.unroute('**/app/*'));
    const enter = async (token: string) => {
      const options = await connect();
      await options.getByLabel('Personal token').last().fill(token);
      await options.getByRole('form', { name: 'Personal token' }).getByRole('button').click();
      await options.getByRole('heading', { name: 'Signed in', exact: false }).first().waitFor();
      const isEntered = async () => {
        const { session } = await chrome.storage.local.get<{ session: { authorization: string } }>('session');
        return session.authorization;
      };
      await expect.poll(() => browser.evaluate(isEntered)).toBe(`Bearer ${token}`);
      await options.close();
    };
    const titles = async () =>
      (await serverArticles(world.service.url, `Bearer ${tokens[1]}`)).map(({ title }) => title).sort();
    const saved = async (title: string, says: RegExp) => {
      const page = await browser.open(world.site.publish(`/${title}`, article(title)));
      const popup = await browser.clickButton(page);
      await popup.says(says);
      await popup.close();
      await page.close();
    };
    await enter(tokens[0]!);
    await saved('Before', /Saved/);
    // Only now is it certain that the list here knows what the service said.
    await saved('Before', /Already[^]*Up to date/);
    expect(await titles()).toEqual(['Before']);
    await loseToken();
    // That of the reading position of the first one may not have been sent either.
    await saved('Meanwhile', /Saved[^]*[12] changes? to send/);
    await enter(tokens[1]!);
    await expect.poll(titles, { timeout: 10_000 }).toEqual(['Before', 'Meanwhile']);
    await signIn('hal');
    await saved('Other', /Saved[^]*Up to date/);
    await expect.poll(() => onServer('hal')).toMatchObject([{ title: 'Other' }]);
    expect(await titles()).toEqual(['Before', 'Meanwhile']);
  });

  it.each([
    ['not an address', 'This is not a web address. A web address looks like https://list.example.com.'],
    ['http://127.0.0.1:9', 'The service cannot be reached. Check the address and the connection, and try again.'],
  ])('at "%s" says: %s', async (address, text) => {
    const options = await browser.openOwn('options.html');
    await options.getByLabel('Address of the service').fill(address);
    await options.getByRole('button', { name: 'Connect' }).click();
    await options.getByText(text).waitFor();
    await options.close();
  });

  it('at something else than the service says so', async () => {
    world.site.publish('/v2/', '<p>Hello');
    const options = await browser.openOwn('options.html');
    const { port } = new URL(world.site.publish('/', '<p>Hello'));
    await options.getByLabel('Address of the service').fill(`http://127.0.0.1:${port}`);
    await options.getByRole('button', { name: 'Connect' }).click();
    await options.getByText('There is no reading-list service at this address. Check it and try again.').waitFor();
    await options.close();
  });

  it('out deletes the list in this browser, and asks first if that loses something', async () => {
    await signIn('erin');
    await world.proxy.refuse();
    const page = await browser.open(world.site.publish('/lost', article('Lost')));
    const popup = await browser.clickButton(page);
    await popup.says('1 change to send');
    await popup.close();
    const options = await browser.openOwn('options.html');
    await options.getByRole('button', { name: 'Sign out' }).click();
    await options.getByText('Changes not sent yet: 1.').waitFor();
    await options.getByRole('button', { name: 'Sign out and lose changes' }).click();
    await options.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await world.proxy.restore();
    await expect
      .poll(() => options.evaluate(async () => (await indexedDB.databases()).length), { timeout: 10_000 })
      .toBe(0);
    await options.close();
    const signedOut = await browser.clickButton(page);
    await signedOut.says('Enter the address of your reading list once');
    await signedOut.close();
    await page.close();
  });
});

/** The origins of what runs in and beside a page, from now on. */
async function worldsOf(page: Page): Promise<() => string[]> {
  const session = await page.context().newCDPSession(page);
  const origins: string[] = [];
  session.on('Runtime.executionContextCreated', ({ context }) => origins.push(context.origin));
  await session.send('Runtime.enable');
  return () => origins;
}

describe('two devices', () => {
  const user = 'frank';
  const url = () => world.site.publish('/long', article('Long', 40));

  /** The same in German, with the reading position switched on. */
  beforeAll(async () => {
    await signIn(user);
    const options = await other.openOwn('options.html');
    await options.getByLabel('Adresse des Dienstes').fill(world.url);
    await options.getByRole('button', { name: 'Verbinden' }).click();
    await options.getByLabel('Name', { exact: true }).fill(user);
    await options.getByLabel('Passwort', { exact: true }).fill('secret');
    await options.getByRole('form', { name: 'Name und Passwort' }).getByRole('button').click();
    await options.getByRole('heading', { name: `Angemeldet als ${user}` }).waitFor();
    await options.getByLabel('Merken, wie weit ich gelesen habe').check();
    // What a page writes as it is closed is lost.
    await options.waitForFunction(
      "chrome.storage.local.get('preferences').then(({ preferences }) => preferences?.remembersPositions)",
    );
    await options.close();
  });

  it('see what the other has saved, and mark its page', async () => {
    const page = await other.open(url());
    expect(await other.badge()).toBe('');
    // What the browser does for a key.
    await other.dispatch('commands.onCommand', 'save-page');
    await expect.poll(() => other.badge()).toBe('✓');
    await expect.poll(() => onServer(user)).toMatchObject([{ title: 'Long', word_count: 1200 }]);
    await page.close();
    const empty = await browser.context.newPage();
    const popup = await browser.clickButton(empty);
    await expect.poll(() => titlesOf(popup), { timeout: 10_000 }).toEqual(['Long']);
    await popup.close();
    await empty.close();
  });

  it('go on reading where the other stopped', async () => {
    const page = await other.open(url());
    await expect.poll(await worldsOf(page)).toContain(`chrome-extension://${ID}`);
    await page.locator('h1').hover();
    await page.mouse.wheel(0, 300);
    const position = async () => (await onServer(user))[0]!.read_position;
    await expect.poll(position, { timeout: 10_000 }).toBeGreaterThan(0);
    await page.close();
    const [{ read_position: read }] = (await onServer(user)) as [{ read_position: number }];
    const again = await other.open(url());
    await expect.poll(() => again.evaluate(() => scrollY), { timeout: 10_000 }).toBeGreaterThan(100);
    await again.close();
    const shown = await browser.open(url());
    const popup = await browser.clickButton(shown);
    await popup.says(new RegExp(`${Math.round((read / 1200) * 100)}% read`));
    // Nobody has switched it on here.
    expect(await shown.evaluate(() => scrollY)).toBe(0);
    await popup.close();
    await shown.close();
  });

  it('complete a link as soon as its page is open', async () => {
    const page = await other.open(world.site.publish('/menu', article('Menu')));
    const url = world.site.publish('/followed', article('Followed'));
    const found = async () => (await onServer(user)).find((one) => one.url === url);
    await other.dispatch('contextMenus.onClicked', { menuItemId: 'save-link', linkUrl: url });
    await expect.poll(found).toMatchObject({ title: null, word_count: null });
    await page.goto(url);
    await expect.poll(found).toMatchObject({ title: 'Followed', word_count: 240 });
    await page.close();
  });

  it('and nobody else: a page that is not on the list is left alone', async () => {
    const page = await other.open(world.site.publish('/private', article('Private')));
    await expect.poll(() => other.badge()).toBe('');
    expect((await worldsOf(page))()).not.toContain(`chrome-extension://${ID}`);
    await page.close();
  });
});

describe('for everybody:', () => {
  const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
  const RUN = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`;

  it.each(['light', 'dark'])('axe finds nothing wrong with popup and settings, in the %s', async (scheme) => {
    const device = scheme === 'light' ? browser : other;
    const page = await device.open(world.site.publish('/axe', article('Axe')));
    const popup = await device.clickButton(page);
    await popup.says(/Saved|Gespeichert|already|Schon/);
    await popup.evaluate(`${axe}; undefined`);
    expect(await popup.evaluate(RUN)).toEqual([]);
    const language = await popup.evaluate('document.documentElement.lang');
    expect(language).toBe(scheme === 'light' ? 'en' : 'de');
    await popup.close();
    const options = await device.openOwn('options.html');
    await options.getByRole('button', { name: /Connect|Verbinden/ }).click();
    await options.getByRole('form').nth(1).waitFor();
    await options.evaluate(axe);
    expect(await options.evaluate(RUN)).toEqual([]);
    await options.close();
    await page.close();
  });
});

it("Mozilla's linter finds nothing", () => {
  const program = resolve('test/tools/node_modules/addons-linter/bin/addons-linter');
  const words = [program, '--output', 'json', join(built, 'firefox')];
  const { errors, notices, warnings } = JSON.parse(
    execFileSync(process.execPath, words, { encoding: 'utf8' }),
  ) as Record<string, object[]>;
  expect([errors, notices, warnings]).toEqual([[], [], []]);
});

it('both zips are small, and the same from the same sources', () => {
  const zips = () =>
    readdirSync(built)
      .filter((name) => name.endsWith('.zip'))
      .map((name) => ({ name, content: readFileSync(join(built, name)) }))
      .map(({ name, content }) => ({
        name,
        size: content.length,
        hash: createHash('sha256').update(content).digest('hex'),
      }));
  const before = zips();
  buildExtension(built);
  expect(zips()).toEqual(before);
  expect(before.length).toBe(2);
  for (const { size } of before) expect(size).toBeLessThan(150_000);
});
