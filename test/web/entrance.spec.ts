import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import {
  apiOf,
  expectTitles,
  isSignedIn,
  openDevice,
  row,
  save,
  signInByName,
  someName,
  titles,
  useWorld,
} from './device.js';

const world = useWorld();

const openSettings = async (page: Page) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
};
const askToSignOut = async (page: Page) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
};
const confirmSignOut = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
const databases = (page: Page) =>
  page.evaluate<string[]>('indexedDB.databases().then((all) => all.map(({ name }) => name))');
const linkOf = async (user: string): Promise<string> => {
  const printed = await mustRunHere(['token', 'create', user, '--name', someName()], world.settings);
  return `${world.url}/app/#token=${/^rl_[\w-]{43}$/m.exec(printed)![0]}`;
};
const question = (page: Page) => page.getByRole('heading', { name: 'Open another list?' });

describe('a link with a token, where somebody is signed in already,', () => {
  it('opens no other list without asking', async () => {
    const stranger = await linkOf(someName());
    const { page, problems, close } = await world.deviceOf(someName());
    await save(page, 'https://example.com/mine', 'Mine');
    for (const follow of [() => page.goto(stranger), () => page.goto('about:blank').then(() => page.goto(stranger))]) {
      await follow();
      await question(page).waitFor();
      expect(page.url()).toBe(`${world.url}/app/`);
      await page.getByRole('button', { name: 'Keep my list' }).click();
      await expectTitles(page, ['Mine']);
    }
    await page.goto(stranger);
    await page.getByRole('button', { name: 'Open the other list' }).click();
    await page.getByText('Nothing left to read.').waitFor();
    // Who stayed signed in still is.
    await page.reload();
    await expectTitles(page, ['Mine']);
    expect(problems).toEqual([]);
    await close();
  });

  it('asks in the language of the page, and for a link of the login that nobody began as well', async () => {
    const stranger = await linkOf(someName());
    const { page, close } = await world.device({ locale: 'de-DE' });
    await page.getByLabel('Auf diesem Gerät angemeldet bleiben').check();
    await page.getByLabel('Name').fill(someName());
    await page.getByLabel('Passwort').fill('secret');
    await page.keyboard.press('Enter');
    await page.getByText('Alles gelesen.').waitFor();
    await page.goto(stranger.replace('#token=', '#auth:'));
    await page.getByRole('heading', { name: 'Andere Liste öffnen?' }).waitFor();
    await page.getByRole('button', { name: 'Bei meiner Liste bleiben' }).click();
    await page.getByText('Alles gelesen.').waitFor();
    await close();
  });

  it('asks nothing if it is for the same list', async () => {
    const user = someName();
    const [one, two] = [await linkOf(user), await linkOf(user)];
    const { page, close } = await openDevice(world.browser, one);
    await save(page, 'https://example.com/mine', 'Mine');
    await page.goto(two);
    await expectTitles(page, ['Mine']);
    await close();
  });

  it('is asked about in a new tab as well, where the answer counts once', async () => {
    const stranger = await linkOf(someName());
    const { page, context, close } = await world.device();
    await signInByName(page, someName(), false);
    const other = await context.newPage();
    await other.goto(stranger);
    await question(other).waitFor();
    await other.getByRole('button', { name: 'Open the other list' }).dblclick();
    await other.getByText('Up to date').waitFor();
    const count = `navigator.locks.query().then(({ held, pending }) =>
      [...held, ...pending].filter(({ name }) => name.endsWith(':automatic')).length)`;
    expect(await other.evaluate(count)).toBe(2);
    await close();
  });

  it('signs out of the other list only', async () => {
    const stranger = await linkOf(someName());
    const { page, close } = await world.deviceOf(someName());
    await save(page, 'https://example.com/mine', 'Mine');
    await page.goto(stranger);
    await page.getByRole('button', { name: 'Open the other list' }).click();
    await page.getByText('Nothing left to read.').waitFor();
    await askToSignOut(page);
    await confirmSignOut(page);
    await page.getByLabel('Password').waitFor();
    await page.reload();
    await expectTitles(page, ['Mine']);
    await close();
  });

  it('signs nobody out if the token is not good', async () => {
    const { page, close } = await world.deviceOf(someName());
    await save(page, 'https://example.com/mine', 'Mine');
    await page.goto(`${world.url}/app/#token=rl_no-such-token`);
    await page.getByText('This link is incomplete or no longer valid.').waitFor();
    await page.reload();
    await expectTitles(page, ['Mine']);
    await close();
  });
});

it('a link of a login that nobody began opens its list for this page only', async () => {
  const link = (await linkOf(someName())).replace('#token=', '#auth:');
  const { page, close } = await openDevice(world.browser, link);
  await page.getByText('You stay signed in until you close or reload this page.').waitFor();
  await page.reload();
  await page.getByLabel('Password').waitFor();
  await close();
});

it('what was typed in the form to save an article is not there for who signs in next', async () => {
  const { page, context, close } = await world.deviceOf(someName());
  await page.getByRole('button', { name: 'Save an article' }).click();
  await page.getByLabel('Address').fill('https://example.com/private');
  await page.keyboard.press('Escape');
  await context.route('**/v2/**', (route) =>
    route.fulfill({ status: 401, json: { code: 401, errno: 105, message: 'no' } }),
  );
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await context.unroute('**/v2/**');
  await signInByName(page, someName());
  await page.getByRole('button', { name: 'Save an article' }).click();
  expect(await page.getByLabel('Address').inputValue()).toBe('');
  await close();
});

it('a browser that lets the page store nothing is told so', async () => {
  const { page, close } = await openDevice(world.browser, 'about:blank');
  await page.addInitScript(`
    const denied = { get() { throw new DOMException('denied', 'SecurityError'); } };
    for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, denied);
    indexedDB.open = denied.get;
  `);
  for (const hash of ['', '#save=https://example.com/a']) {
    await page.goto('about:blank');
    await page.goto(`${world.url}/app/${hash}`);
    await page.getByText('This browser does not let pages store data here').waitFor();
  }
  await close();
});

it('two clicks at once sign in once', async () => {
  const { page, close } = await world.device();
  await page.getByLabel('Name').fill(someName());
  let signIns = 0;
  page.on('request', (request) => (signIns += Number(request.url().endsWith('/app/account'))));
  await page.evaluate(`for (const _click of [1, 2]) document.querySelector('[type=submit]').click()`);
  await isSignedIn(page);
  await page.getByText('Up to date').waitFor();
  expect(signIns).toBe(1);
  await close();
});

describe('signing out', () => {
  it('does it in all tabs at once', async () => {
    const { page, context, problems, close } = await world.deviceOf(someName());
    await save(page, 'https://example.com/a', 'A');
    const others = [await context.newPage(), await context.newPage()];
    for (const tab of others) {
      await tab.goto(`${world.url}/app/`);
      await expectTitles(tab, ['A']);
    }
    await askToSignOut(page);
    await confirmSignOut(page);
    for (const tab of [page, ...others]) await tab.getByLabel('Password').waitFor();
    for (const tab of others) {
      await tab.reload();
      await tab.getByLabel('Password').waitFor();
    }
    expect(problems).toEqual([]);
    await close();
  });

  it.each([
    ['after the end of the service', 410, 'This service has been discontinued: nobody can sign in any more.'],
    ['while the service has a problem', 503, 'The service cannot be reached.'],
  ])('works %s', async (_when, status, problem) => {
    const { page, context, close } = await world.deviceOf(someName());
    await save(page, 'https://example.com/a', 'A');
    await page.getByText('Up to date').waitFor();
    await context.route('**/v2/**', (route) =>
      route.fulfill({
        status,
        json: { code: status, errno: 202, message: 'The service has reached its end of support' },
      }),
    );
    await save(page, 'https://example.com/unsent', 'Unsent');
    await askToSignOut(page);
    await page.getByText('1 change has not been sent yet.').waitFor();
    await page.getByRole('button', { name: 'Sign out and lose changes' }).click();
    await page.getByText(problem).waitFor();
    await context.unroute('**/v2/**');
    await page.reload();
    await page.getByLabel('Password').waitFor();
    expect(await databases(page)).toEqual(['reading-list']);
    await close();
  });

  it('leaves nothing of what was told about changes that could not be kept', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    await api.create({ url: 'https://example.com/a', title: 'A' });
    const { page, context, close } = await world.deviceOf(name);
    await expectTitles(page, ['A']);
    await context.setOffline(true);
    await row(page, 'A').locator('.row-main').focus();
    await page.keyboard.press('f');
    await api.call('DELETE', `/articles/${String((await api.list())[0]!.id)}`);
    await context.setOffline(false);
    await page.getByText('“A” was deleted on another device').waitFor();
    const kept = () => page.evaluate<string>('JSON.stringify(localStorage)');
    expect(await kept()).toContain('https://example.com/a');
    await askToSignOut(page);
    await confirmSignOut(page);
    await page.getByLabel('Password').waitFor();
    expect(await kept()).not.toContain('https://example.com/a');
    await close();
  });

  it('works while the service does not answer at all', async () => {
    const { page, context, close } = await world.deviceOf(someName());
    await page.getByText('Up to date').waitFor();
    await context.route('**/v2/**', () => new Promise(() => undefined));
    await askToSignOut(page);
    await confirmSignOut(page);
    await page.getByText('What you want to read').waitFor();
    await expect.poll(() => databases(page)).toEqual(['reading-list']);
    await close();
  });
});

it('the sign-in page says that the service is away, and offers the ways in when it is back', async () => {
  const { page, context, close } = await openDevice(world.browser, 'about:blank');
  await context.route('**/v2/', (route) => route.abort());
  await page.goto(`${world.url}/app/`);
  await page.getByText('The service cannot be reached.').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await context.unroute('**/v2/');
  await page.getByLabel('Password').waitFor({ timeout: 10_000 });
  expect(await page.getByText('The service cannot be reached.').count()).toBe(0);
  await signInByName(page, someName());
  await close();
});

it('an address that means nothing shows the list', async () => {
  const { page, problems, close } = await world.deviceOf(someName());
  await save(page, 'https://example.com/a', 'A');
  for (const hash of ['#/unread/%', '#/%E0%A4%A', '#/all/%2', '#/nothing', '#/unread/no-such-article', '#%']) {
    await page.goto('about:blank');
    await page.goto(`${world.url}/app/${hash}`);
    await expectTitles(page, ['A']);
    // The same in a page that is open.
    await page.evaluate(`location.hash = '#/favorites'`);
    await page.getByText('No favourites yet.').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await expectTitles(page, ['A']);
    expect([hash, ...problems]).toEqual([hash]);
  }
  await close();
});

it.each([true, false])(
  'the browser is asked not to evict the list of a user who stays signed in: %s',
  async (stays) => {
    const { page, close } = await world.device();
    // A browser without windows decides by itself what it evicts.
    await page.evaluate('StorageManager.prototype.persist = () => Promise.resolve((window.isAsked = true))');
    await signInByName(page, someName(), stays);
    await page.getByText('Up to date').waitFor();
    const isAsked = () => page.evaluate('window.isAsked === true');
    await expect.poll(isAsked).toBe(stays);
    if (!stays) await page.getByRole('button', { name: 'Stay signed in on this device' }).click();
    await expect.poll(isAsked).toBe(true);
    await close();
  },
);

it('another name of the device is used from then on, without a reload and with everything that can be undone', async () => {
  const name = someName();
  const { page, problems, close } = await world.deviceOf(name);
  await save(page, 'https://example.com/a', 'A');
  await openSettings(page);
  await page.getByLabel('Name of this device').fill('My laptop');
  // Renders the page again.
  await page.evaluate("dispatchEvent(new StorageEvent('storage'))");
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await save(page, 'https://example.com/b', 'B');
  await expectTitles(page, ['B', 'A']);
  const stored = async () => (await (await world.api(name)).list()).map(({ title, added_by }) => [title, added_by]);
  await expect.poll(async () => (await stored())[0]).toEqual(['B', 'My laptop']);
  for (const left of [['A'], []]) {
    await page.keyboard.press('z');
    await expectTitles(page, left);
  }
  await expect.poll(stored).toEqual([]);
  await page.getByText('Up to date').waitFor();
  expect(problems).toEqual([]);
  await close();
});

it('what is done right after the device got another name is done', async () => {
  const { page, close } = await world.deviceOf(someName());
  await save(page, 'https://example.com/a', 'A');
  await page.locator('.row-main').focus();
  await page.evaluate(`{
    window.said = [];
    new MutationObserver(() => said.push(document.querySelector('.toast').textContent))
      .observe(document.querySelector('.toast'), { childList: true, subtree: true, characterData: true });
  }`);
  for (const name of ['One', 'Two', 'Three']) {
    await openSettings(page);
    await page.getByLabel('Name of this device').fill(name);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    for (let at = 0; at < 40; at++) await page.keyboard.press('f');
  }
  expect((await page.evaluate<string[]>('said')).filter((text) => text.includes('did not work'))).toEqual([]);
  await close();
});

/** A proxy for plain http: to the browser the service has a name, over which it trusts no page as it does on this machine. */
async function startProxy(): Promise<string> {
  const server = createServer((incoming, response) => {
    const { pathname, search } = new URL(incoming.url!);
    const forwarded = request(
      world.url + pathname + search,
      { method: incoming.method, headers: incoming.headers },
      (got) => {
        response.writeHead(got.statusCode!, got.headers);
        got.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('everything works over plain http from another machine, where pages have no random UUIDs and no locks', async () => {
  const server = await startProxy();
  const device = await openDevice(world.browser, 'http://reading-list.test/app/', { proxy: { server } });
  const { page, problems, close } = device;
  expect(await page.evaluate('[isSecureContext, typeof crypto.randomUUID, typeof navigator.locks]')).toEqual([
    false,
    'undefined',
    'undefined',
  ]);
  const name = someName();
  await signInByName(page, name);
  await save(page, 'https://example.com/a', 'A');
  await openSettings(page);
  const csv = 'title,url,time_added\nB,https://example.com/b,1600000000\nC,https://example.com/c,1600000001';
  const choose = (text: string) =>
    page.locator('input[type=file]').setInputFiles({ name: 'file', mimeType: '', buffer: Buffer.from(text) });
  await choose(csv);
  await page.getByRole('button', { name: 'Import 2 articles' }).click();
  await page.getByText('Import finished').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'JSON lines (complete)' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('reading-list.jsonl');
  await page.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => titles(page)).toEqual(['A', 'C', 'B']);
  await expect.poll(async () => (await (await world.api(name)).list()).length).toBe(3);
  await page.reload();
  await isSignedIn(page);
  await expectTitles(page, ['A', 'C', 'B']);
  // That the browser ignores a header which it takes over https only.
  expect(problems.filter((text) => !text.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
  await close();
});
