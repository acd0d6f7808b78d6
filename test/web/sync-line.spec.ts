import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import { apiOf, expectTitles, openDevice, row, save, signInByName, someName, useWorld } from './device.js';

const world = useWorld('SQLite', () => ({ WAIT_MAX_SECONDS: '2' }));

const line = (page: Page) => page.locator('.sync-line [role=status]');
const expectLine = (page: Page, text: RegExp) =>
  expect.poll(() => line(page).textContent(), { timeout: 20_000 }).toMatch(text);
const isUpToDate = /^Up to date, \d\d:\d\d/;

/** Has the service answer with an error, whatever it is sent. */
const answer = (context: BrowserContext, status: number) =>
  context.route('**/v2/**', (route) => route.fulfill({ status, json: { code: status, errno: 201, message: 'no' } }));
const answerAgain = (context: BrowserContext) => context.unroute('**/v2/**');

/** Another tab of the same browser. */
async function anotherTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${world.url}/app/`);
  await expectLine(page, isUpToDate);
  return page;
}

describe('the line about syncing', () => {
  it('does not say "up to date" while the service answers with an error', async () => {
    const { page, context, close } = await world.deviceOf(someName());
    await expectLine(page, isUpToDate);
    for (const status of [500, 503, 429]) {
      await answer(context, status);
      await save(page, `https://example.com/${status}`, String(status));
      await expectLine(page, /^The service has a problem\. Trying again soon\. 1 change to send\./);
      await page.getByRole('button', { name: 'Sync now' }).click();
      await page.waitForTimeout(500);
      await expectLine(page, /^The service has a problem/);
      await answerAgain(context);
      await page.getByRole('button', { name: 'Sync now' }).click();
      await expectLine(page, isUpToDate);
    }
    // Nor on a page that has never reached the service.
    await answer(context, 503);
    await page.reload();
    await expectLine(page, /^The service has a problem/);
    await close();
  });

  it('says in every tab what the tab found that syncs', async () => {
    const { page, context, close } = await world.deviceOf(someName());
    await expectLine(page, isUpToDate);
    const other = await anotherTab(context);
    for (const [title, spoil, text] of [
      ['A', () => context.route('**/v2/**', (route) => route.abort()), /^Offline\./],
      ['B', () => answer(context, 503), /^The service has a problem/],
    ] as const) {
      await spoil();
      await save(page, `https://example.com/${title}`, title);
      await expectLine(page, text);
      await expectLine(other, text);
      await answerAgain(context);
      await expectLine(page, isUpToDate);
      await expectLine(other, isUpToDate);
    }
    await close();
  });

  it('goes on in the other tab when the tab that syncs is closed', async () => {
    const { page, context, close } = await world.deviceOf(someName());
    const other = await anotherTab(context);
    await page.close();
    await context.route('**/v2/**', (route) => route.abort());
    await expectLine(other, /^Offline\./);
    await close();
  });
});

describe('what one tab is told, the others say too', () => {
  it('a conflict', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    await api.create({ url: 'https://example.com/a', title: 'A' });
    const { page, context, close } = await world.deviceOf(name);
    await expectTitles(page, ['A']);
    await expectLine(page, isUpToDate);
    const other = await anotherTab(context);
    await context.setOffline(true);
    await row(page, 'A').locator('.row-main').focus();
    await page.keyboard.press('f');
    const { id } = (await api.list())[0]!;
    await api.call('DELETE', `/articles/${String(id)}`);
    await context.setOffline(false);
    for (const tab of [page, other]) await tab.getByText(/“A” was deleted on another device/).waitFor();
    await close();
  });

  it('a conflict, which goes when it is dismissed, and no other one with it', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    for (const title of ['A', 'B']) await api.create({ url: `https://example.com/${title}`, title });
    const { page, context, close } = await world.deviceOf(name);
    await expectTitles(page, ['B', 'A']);
    for (const title of ['A', 'B']) {
      await expectLine(page, isUpToDate);
      await context.setOffline(true);
      await row(page, title).locator('.row-main').focus();
      await page.keyboard.press('f');
      const { id } = (await api.list()).find((article) => article.title === title)!;
      await api.call('DELETE', `/articles/${String(id)}`);
      await context.setOffline(false);
      await page.getByText(`“${title}” was deleted on another device`).waitFor();
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel('Name of this device').fill(`Laptop ${title}`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      await save(page, `https://example.com/after-${title}`);
      await expect
        .poll(async () => (await api.list())[0])
        .toMatchObject({ url: `https://example.com/after-${title}`, added_by: `Laptop ${title}` });
    }
    const notices = page.locator('.notice', { hasText: 'was deleted on another device' });
    await notices.filter({ hasText: '“A”' }).getByRole('button', { name: 'Dismiss' }).click();
    await notices.filter({ hasText: '“A”' }).waitFor({ state: 'detached' });
    expect(await notices.count()).toBe(1);
    await close();
  });

  it('that the sign-in is no longer valid, and that it is again', async () => {
    const user = someName();
    const token = async (name: string) =>
      /^rl_[\w-]{43}$/m.exec(await mustRunHere(['token', 'create', user, '--name', name], world.settings))![0];
    const { page, context, close } = await openDevice(world.browser, `${world.url}/app/#token=${await token('one')}`);
    await page.getByRole('button', { name: 'Stay signed in on this device' }).click();
    await expectLine(page, isUpToDate);
    const other = await anotherTab(context);
    await mustRunHere(['token', 'revoke', user, '--name', 'one'], world.settings);
    for (const tab of [page, other]) await expectLine(tab, /^Signed out by the service/);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByText('Sign in with a personal token').click();
    await page.getByLabel('Personal token').fill(await token('two'));
    await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
    for (const tab of [page, other]) await expectLine(tab, isUpToDate);
    await save(other, 'https://example.com/other', 'From the other tab');
    await expectTitles(page, ['From the other tab']);
    await page.waitForTimeout(4_000);
    for (const tab of [page, other]) await expectLine(tab, isUpToDate);
    await close();
  });
});

it('an article that another device deleted is saved again with everything that was known of it', async () => {
  const name = someName();
  const api = apiOf(world.url, name);
  const fields = {
    url: 'https://example.com/whole',
    title: 'Whole',
    archived: true,
    favorite: true,
    unread: true,
    word_count: 1000,
    read_position: 400,
    excerpt: 'An excerpt',
    added_on: 1_600_000_000_000,
  };
  await api.create(fields);
  const { page, context, close } = await world.device();
  await signInByName(page, name);
  // It is in no view that this page shows.
  await page.getByRole('link', { name: 'Archive 1' }).waitFor();
  await expectLine(page, isUpToDate);
  await page.getByRole('link', { name: 'Archive 1' }).click();
  await context.setOffline(true);
  await row(page, 'Whole').locator('.row-main').click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Title', { exact: true }).fill('Renamed');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Unread 0' }).click();
  const { id } = (await api.list())[0]!;
  await api.call('DELETE', `/articles/${String(id)}`);
  await context.setOffline(false);
  const saveAgain = page.getByRole('button', { name: 'Save it again' });
  await saveAgain.waitFor();
  // Not before there is room for it.
  await page.evaluate(`{
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => { throw new DOMException('The quota is exceeded', 'QuotaExceededError'); };
    window.makeRoom = () => (IDBObjectStore.prototype.put = put);
  }`);
  await saveAgain.click();
  await page.getByText('That did not work').waitFor();
  await page.evaluate('void makeRoom()');
  await saveAgain.click();
  await saveAgain.waitFor({ state: 'detached' });
  await expect
    .poll(async () => (await api.list())[0])
    .toMatchObject({ ...fields, title: 'Renamed', added_by: 'phone' });
  // It can be undone like anything else.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => api.list()).toEqual([]);
  await close();
});
