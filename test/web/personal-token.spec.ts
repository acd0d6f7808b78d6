import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { photograph, watchNetwork } from '../auth/chromium.js';
import { mustRunHere } from '../operations/run-command.js';
import { apiWith, type Device, expectTitles, openDevice, row, save, someName, useWorld } from './device.js';

// A page that nobody touches notices that its token has ended when its poll does, which is up to 55 seconds by default.
const world = useWorld('SQLite', () => ({ LOG_LEVEL: 'trace', WAIT_MAX_SECONDS: '2' }));

/** Makes a token as an operator does; gives what the command printed. */
async function makeToken(user: string, name: string): Promise<{ token: string; link: string }> {
  const printed = await mustRunHere(['token', 'create', user, '--name', name], world.settings);
  const token = /^rl_[\w-]{43}$/m.exec(printed)![0];
  const link = /^http:\S+$/m.exec(printed)![0];
  expect(link).toBe(`${world.url}/app/#token=${token}`);
  return { token, link };
}
const revoke = (user: string, name: string) => mustRunHere(['token', 'revoke', user, '--name', name], world.settings);
const apiBy = (token: string) => apiWith(world.url, `Bearer ${token}`);
const storedTitles = async (token: string) => (await apiBy(token).list()).map(({ title }) => title);

/** Every address that the tab has been at, as the browser keeps them. */
async function visited({ context, page }: Device): Promise<string> {
  const session = await context.newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  return entries.map(({ url }) => url).join('\n');
}
const isSignedOut = (page: Page) => page.getByText('Your sign-in is no longer valid.').waitFor({ timeout: 15_000 });

it('the link that the command prints opens the list of its user, and the token is in no address afterwards', async () => {
  const user = someName();
  const [{ token, link }, laptop] = [await makeToken(user, 'phone'), await makeToken(user, 'laptop')];
  await apiBy(laptop.token).create({ url: 'https://example.com/laptop', title: 'From the laptop' });
  const device = await openDevice(world.browser, 'about:blank');
  const { page, problems, close } = device;
  const sent = await watchNetwork(page);
  await page.goto(link);
  await expectTitles(page, ['From the laptop']);
  expect(page.url()).toBe(`${world.url}/app/`);
  await save(page, 'https://example.com/phone', 'From the phone');
  await expect.poll(() => storedTitles(laptop.token)).toEqual(['From the phone', 'From the laptop']);

  expect(await visited(device)).toContain('/app/');
  expect(await visited(device)).not.toContain(token);
  const storages = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
  expect(await page.evaluate<string>(storages)).not.toContain(token);
  expect(sent.urls.join('\n')).toContain('/v2/articles');
  expect(sent.urls.join('\n')).not.toContain(token);
  const names = sent.headers.flatMap((headers) =>
    Object.keys(headers).filter((name) => headers[name]!.includes(token)),
  );
  expect(new Set(names.map((name) => name.toLowerCase()))).toEqual(new Set(['authorization']));
  expect(world.service.output()).toContain('/v2/articles');
  expect(world.service.output()).not.toContain(token);
  expect(problems).toEqual([]);
  await close();
});

it('the link opens the list of its user in a tab that shows another one, and leaves no token there either', async () => {
  const [alice, bob] = [someName(), someName()];
  const [one, two] = [await makeToken(alice, 'phone'), await makeToken(bob, 'phone')];
  await apiBy(two.token).create({ url: 'https://example.com/bob', title: 'of Bob' });
  const device = await openDevice(world.browser, one.link);
  const { page, close } = device;
  await page.getByText(`You are signed in as “${alice}”.`).waitFor();
  await save(page, 'https://example.com/alice', 'of Alice');
  await page.getByText('Up to date').waitFor();
  await page.goto(two.link);
  await page.getByRole('button', { name: 'Open the other list' }).click();
  await expectTitles(page, ['of Bob']);
  expect(page.url()).toBe(`${world.url}/app/`);
  for (const { token } of [one, two]) expect(await visited(device)).not.toContain(token);
  expect(await storedTitles(one.token)).toEqual(['of Alice']);
  await close();
});

it('a token that is revoked signs the page out within seconds, and another one goes on where it was', async () => {
  const user = someName();
  const { link } = await makeToken(user, 'phone');
  const { page, problems, close } = await openDevice(world.browser, link);
  await page.getByRole('button', { name: 'Stay signed in on this device' }).click();
  await save(page, 'https://example.com/before', 'Before');
  await page.getByText('Up to date').waitFor();
  expect(await revoke(user, 'phone')).toBe(`revoked 1 token of ${user}\n`);
  await isSignedOut(page);
  await photograph(page, 'web-revoked');
  await save(page, 'https://example.com/during', 'During');
  await row(page, 'Before').locator('.row-main').focus();
  await page.keyboard.press('f');
  await page.getByRole('link', { name: 'Favourites 1' }).waitFor();
  await page.reload();
  await isSignedOut(page);
  await expectTitles(page, ['During', 'Before']);
  const { token } = await makeToken(user, 'phone');
  expect(await storedTitles(token)).toEqual(['Before']);

  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByText('This device has 2 unsent changes.').waitFor();
  await page.getByText('Sign in with a personal token').click();
  await page.getByLabel('Personal token').fill(token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
  await expectTitles(page, ['During', 'Before']);
  await expect
    .poll(async () => (await apiBy(token).list()).map(({ title, favorite }) => [title, favorite]))
    .toEqual([
      ['During', false],
      ['Before', true],
    ]);
  expect(problems).toEqual([]);
  await close();
});

it('what a device did offline while its token was revoked is kept, and sent with the link of another one', async () => {
  const user = someName();
  const { token, link } = await makeToken(user, 'phone');
  const { page, context, close } = await openDevice(world.browser, link);
  await save(page, 'https://example.com/before', 'Before');
  await page.getByText('Up to date').waitFor();
  await context.setOffline(true);
  await save(page, 'https://example.com/offline', 'Offline');
  await page.getByText('Offline. Changes are kept here and sent later.').waitFor();
  await revoke(user, 'phone');
  const other = await makeToken(user, 'new phone');
  // The service takes a few seconds to know.
  await expect.poll(async () => (await apiBy(token).call('GET', '/articles')).status).toBe(401);
  await context.setOffline(false);
  await isSignedOut(page);
  await expectTitles(page, ['Offline', 'Before']);
  expect(await storedTitles(other.token)).toEqual(['Before']);

  await page.goto(other.link);
  await expect.poll(() => storedTitles(other.token), { timeout: 15_000 }).toEqual(['Offline', 'Before']);
  await expectTitles(page, ['Offline', 'Before']);
  await page.getByText('Up to date').waitFor();
  await close();
});
