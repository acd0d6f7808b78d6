import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { apiOf, expectTitles, isSignedIn, openDevice, row, save, signInByName, someName, useWorld } from './device.js';

const world = useWorld();

const dialog = (page: Page) => page.getByRole('dialog');
const storedUrls = async (name: string) => (await apiOf(world.url, name).list()).map(({ url }) => url);

describe('what a link or a share sheet brings', () => {
  it.each(['#save=', '?share_title=Tea&share_url=', '?share_title=Tea&share_text='])(
    'is not saved unasked by a link with %s',
    async (start) => {
      const name = someName();
      const { page, close } = await openDevice(world.browser, `${world.url}/app/${start}https://example.com/a`);
      await page.getByText('will be saved as soon as you sign in and confirm it.').waitFor();
      await signInByName(page, name);
      await dialog(page).waitFor();
      expect(await page.getByLabel('Address').inputValue()).toBe('https://example.com/a');
      await page.keyboard.press('Escape');
      await page.getByText('Up to date').waitFor();
      expect(await storedUrls(name)).toEqual([]);
      await close();
    },
  );

  it('is shown in the form by a link, and saved only if the user says so', async () => {
    const name = someName();
    const { page, close } = await world.deviceOf(name);
    const link = `${world.url}/app/#save=https://example.com/a?utm_source=x%26id=5&title=Tea`;
    await page.goto(link);
    await dialog(page).waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('https://example.com/a?utm_source=x&id=5');
    await page.keyboard.press('Escape');
    await page.getByText('Up to date').waitFor();
    expect(await storedUrls(name)).toEqual([]);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('button', { name: 'Use the shorter one' }).click();
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    await expectTitles(page, ['Tea']);
    await expect.poll(() => storedUrls(name)).toEqual(['https://example.com/a?id=5']);
    await page.reload();
    await expectTitles(page, ['Tea']);
    expect(await dialog(page).count()).toBe(0);
    await close();
  });

  it('is in the form if it is a text without an address', async () => {
    const { page, close } = await openDevice(world.browser, `${world.url}/app/?share_text=A+thought`);
    await signInByName(page, someName());
    await dialog(page).waitFor();
    expect(await page.getByLabel('Title (optional)').inputValue()).toBe('A thought');
    await close();
  });

  it('is said to be there already if the same page is, and both are shown once they are', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    await api.create({ url: 'https://example.com/a?fbclid=1', title: 'From elsewhere' });
    const { page, close } = await world.deviceOf(name);
    await expectTitles(page, ['From elsewhere']);
    await page.keyboard.press('a');
    await page.getByLabel('Address').fill('https://www.example.com/a/');
    await dialog(page).getByText('This page is most likely on your list already: “From elsewhere”').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('One page seems to be saved more than once.').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete: https://example.com/a?fbclid=1' }).click();
    await page.getByText('No page is saved more than once.').waitFor();
    await expect.poll(() => storedUrls(name)).toEqual(['https://www.example.com/a/']);
    await close();
  });
});

describe('where something else answers in place of the service', () => {
  it.each<[string, { status: number; body?: string; contentType?: string; headers?: Record<string, string> }]>([
    ['HTML', { status: 200, contentType: 'text/html', body: '<h1>Welcome to the network</h1>' }],
    ['nothing', { status: 200, body: '' }],
    ['null', { status: 200, contentType: 'application/json', body: 'null' }],
    ['another service', { status: 200, contentType: 'application/json', body: '{"hello":1}' }],
    ['a redirect', { status: 302, headers: { Location: 'https://elsewhere.test/' } }],
  ])('the first visit says so for %s, sends no password, and goes on later', async (_what, response) => {
    const { page, context, close } = await openDevice(world.browser, 'about:blank');
    let sent = 0;
    await context.route('**/app/account', (route) => (sent++, route.continue()));
    await context.route('**/v2/', (route) => route.fulfill(response));
    await page.goto(`${world.url}/app/`);
    await page.getByText('Something other than the service is responding').first().waitFor();
    await page.getByLabel('Name').fill('me');
    await page.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    // Otherwise the attempt could go on once the service answers.
    await page.locator('button[aria-disabled="true"]').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(sent).toBe(0);
    await context.unroute('**/v2/');
    // The page asks again by itself, too.
    const again = page.getByRole('button', { name: 'Try again' });
    await again.click({ timeout: 1000 }).catch(() => undefined);
    await expect.poll(() => page.getByText('Something other than the service is responding').count()).toBe(0);
    // Nobody has set up a provider.
    expect(await page.getByRole('button', { name: 'Sign in with your account' }).count()).toBe(0);
    await signInByName(page, someName());
    await close();
  });

  it('an open list says so, and where to look', async () => {
    const { page, context, close } = await world.deviceOf(someName());
    await page.getByText('Up to date').waitFor();
    await context.route('**/v2/**', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Pay</h1>' }));
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Something other than the service is responding').waitFor();
    expect(await page.getByRole('link', { name: 'Open it' }).getAttribute('href')).toBe(`${world.url}/v2/`);
    await context.unroute('**/v2/**');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Up to date').waitFor();
    await close();
  });
});

it('everything works in a browser that has no BroadcastChannel', async () => {
  const { page, problems, close } = await openDevice(world.browser, 'about:blank');
  await page.addInitScript('delete window.BroadcastChannel');
  await page.goto(`${world.url}/app/`);
  const name = someName();
  await signInByName(page, name);
  await save(page, 'https://example.com/a', 'A');
  await expect.poll(() => storedUrls(name)).toEqual(['https://example.com/a']);
  expect(problems).toEqual([]);
  await close();
});

it('an open list says that no space is left for what comes, and has it once there is room', async () => {
  const name = someName();
  const { page, close } = await world.deviceOf(name);
  await page.getByText('Up to date').waitFor();
  await page.evaluate(`window.put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }`);
  await apiOf(world.url, name).create({ url: 'https://example.com/a', title: 'From the phone' });
  await page.getByText('No space is left on this device, so nothing new can be stored.').waitFor();
  await page.evaluate('IDBObjectStore.prototype.put = window.put');
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByText('Up to date').waitFor();
  await expectTitles(page, ['From the phone']);
  await close();
});

it('a device without space is called that, and a part that a new version has replaced as well', async () => {
  const { page, context, close } = await world.deviceOf(someName());
  await page.getByText('Up to date').waitFor();
  await page.evaluate(`window.put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }`);
  await page.keyboard.press('a');
  await page.getByLabel('Address').fill('https://example.com/a');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('No space is left on this device for this site.').waitFor();
  await page.evaluate('IDBObjectStore.prototype.put = window.put');
  await page.keyboard.press('Escape');

  await context.route('**/read-file-*.js', (route) => route.fulfill({ status: 404 }));
  await page.evaluate('navigator.serviceWorker.getRegistration().then((worker) => worker?.unregister())');
  await page.reload();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: '', buffer: Buffer.from('url\nx') });
  await page.getByText('Part of the application was replaced by a new version.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reload' }).click();
  await isSignedIn(page);
  await close();
});

it('a key acts on the article with the focus, not on one that another device has archived', async () => {
  const name = someName();
  const api = apiOf(world.url, name);
  for (const title of ['A', 'B', 'C']) await api.create({ url: `https://example.com/${title}`, title });
  const { page, close } = await world.deviceOf(name);
  await expectTitles(page, ['C', 'B', 'A']);
  await row(page, 'B').locator('.row-main').click();
  const b = (await api.list()).find(({ title }) => title === 'B')!;
  await api.call('PATCH', `/articles/${b.id as string}`, { archived: true });
  await expectTitles(page, ['C', 'A']);
  await page.keyboard.press('#');
  await page.waitForTimeout(300);
  expect((await api.list()).map(({ title }) => title)).toContain('B');
  await close();
});

it('a search finds what is anywhere and says where; an empty list says whose it is and how to begin', async () => {
  const name = someName();
  const { page, close } = await world.deviceOf(name);
  await page.getByText('This list is new').waitFor();
  await page.getByText(`You are signed in as “${name}”.`).waitFor();
  await page.getByRole('button', { name: 'Import articles' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save your first article' }).click();
  await page.getByLabel('Address').fill('https://example.com/tea');
  await page.getByLabel('Title (optional)').fill('Tea');
  await page.keyboard.press('Enter');
  await row(page, 'Tea').locator('.row-main').focus();
  await page.keyboard.press('m');
  await expectTitles(page, []);
  await page.getByRole('link', { name: 'Read 1' }).click();
  await expectTitles(page, ['Tea']);
  await page.keyboard.press('z');
  await page.locator('.toast').getByText('Undone: Marked “Tea” as read').waitFor();
  await page.locator('body').press('g');
  await page.keyboard.press('e');
  await expectTitles(page, []);
  await page.getByLabel('Search', { exact: true }).fill('tea');
  await expectTitles(page, ['Tea']);
  expect(await row(page, 'Tea').locator('.place').textContent()).toBe('Unread');
  await close();
});

it('undoes a reading position, and from the message only what it names', async () => {
  const name = someName();
  const api = apiOf(world.url, name);
  await api.create({ url: 'https://example.com/a', title: 'A', word_count: 1000, read_position: 100 });
  const { page, close } = await world.deviceOf(name);
  await row(page, 'A').locator('.row-main').click();
  await page.getByLabel('How far you have read').fill('700');
  await page.locator('.toast').getByText('Moved the reading position in “A”').waitFor();
  await expect.poll(async () => (await api.list())[0]).toMatchObject({ read_position: 700 });
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(async () => (await api.list())[0]).toMatchObject({ read_position: 100, unread: true });
  await close();
});

it('with any window and size of text the list has half of the height, and Undo is on the screen', async () => {
  const name = someName();
  await apiOf(world.url, name).create({ url: 'https://example.com/a', title: 'A' });
  const { page, close } = await world.deviceOf(name);
  for (const [width, height, size] of [
    [640, 360, '100%'],
    [640, 360, '200%'],
    [360, 740, '200%'],
    [1280, 800, '200%'],
  ] as const) {
    await page.goto('about:blank');
    await page.setViewportSize({ width, height });
    await page.goto(`${world.url}/app/`);
    await expectTitles(page, ['A']);
    await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
    await expect
      .poll(() => page.evaluate<number>(`document.querySelector('.list-scroller').clientHeight`))
      .toBeGreaterThanOrEqual(height / 2);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const broken = `[...document.querySelectorAll('nav a > span, .top-bar button span')]
    .filter((label) => label.checkVisibility() && label.getClientRects().length > 1 || label.offsetHeight > 2.2 * parseFloat(getComputedStyle(label).fontSize))
    .map((label) => label.textContent)`;
    expect(await page.evaluate(broken)).toEqual([]);
    await page.locator('.row-main').first().focus();
    await page.keyboard.press('f');
    const undo = page.locator('.toast').getByRole('button', { name: 'Undo', exact: true });
    const { y, height: tall } = (await undo.boundingBox())!;
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + tall).toBeLessThanOrEqual(height);
  }
  await close();
});

it('says that a title follows where a resolver was seen at work, and nowhere else', async () => {
  const name = someName();
  const { page, close } = await world.deviceOf(name);
  const api = await world.api(name);
  await save(page, 'https://example.com/first');
  await expectTitles(page, ['example.com/first']);
  await expect.poll(async () => (await api.list()).length).toBe(1);
  expect(await page.getByText('Title to follow').count()).toBe(0);
  // What a resolver does.
  const [{ id }] = (await api.list()) as [{ id: string }];
  await api.call('PATCH', `/articles/${id}`, { title: 'First', excerpt: 'It begins.', word_count: 300 });
  await expectTitles(page, ['First']);
  await save(page, 'https://example.com/second');
  await save(page, 'https://example.com/third', 'Third');
  await expectTitles(page, ['Third', 'example.com/second', 'First']);
  await row(page, 'example.com/second').getByText('Title to follow').waitFor();
  expect(await page.getByText('Title to follow').count()).toBe(1);
  await close();
});

it('loads pictures from elsewhere only where the user has switched them on, and its policy follows', async () => {
  const name = someName();
  await apiOf(world.url, name).create({ url: 'https://a.test/', title: 'A', preview: 'https://pictures.test/a.png' });
  const { page, context, close } = await world.deviceOf(name);
  const asked: string[] = [];
  await context.route('https://pictures.test/**', (route) => {
    asked.push(route.request().url());
    return route.fulfill({ path: 'web/public/icon-192.png' });
  });
  await expectTitles(page, ['A']);
  const inject = `new Promise((done) => {
    const image = new Image();
    image.onload = () => done('loaded');
    image.onerror = () => done('refused');
    image.src = 'https://pictures.test/injected.png';
  })`;
  expect(await page.evaluate(inject)).toBe('refused');
  expect(await page.locator('img').count()).toBe(0);
  const toggle = async () => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Show pictures').click();
  };
  await toggle();
  await row(page, 'A').locator('img').waitFor();
  await expect.poll(() => asked).toEqual(['https://pictures.test/a.png']);
  await toggle();
  await expect.poll(() => page.locator('img').count()).toBe(0);
  expect(await page.evaluate(inject)).toBe('refused');
  expect(asked).toEqual(['https://pictures.test/a.png']);
  await close();
});
