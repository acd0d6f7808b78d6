import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchChromium, photograph } from '../auth/chromium.js';
import { findFreePort } from '../support/servers/free-port.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Service, startService } from '../support/service.js';
import { apiOf, type Device, expectTitles, openDevice, row, save, signInByName, someName, titles } from './device.js';

let browser: Browser;
let database: TestDatabase;
let service: Service;
let port: string;

const start = async (variables: Record<string, string> = {}) => {
  service = await startService({ DATABASE_URL: database.url, PORT: port, ...variables });
};

beforeAll(async () => {
  browser = await launchChromium();
  database = await createTestDatabase();
  port = String(await findFreePort());
  await start();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await database?.drop();
});

const twoDevices = async (name: string): Promise<[Device, Device]> => {
  const open = async () => {
    const device = await openDevice(browser, `${service.url}/app/`);
    await signInByName(device.page, name);
    return device;
  };
  return [await open(), await open()];
};

describe('two devices of one account', () => {
  it('a change on one is on the other at once', async () => {
    const [one, two] = await twoDevices(someName());
    await save(one.page, 'https://example.com/a', 'Article A');
    await expectTitles(two.page, ['Article A']);
    await row(two.page, 'Article A').locator('.row-main').focus();
    await two.page.keyboard.press('f');
    await one.page.getByRole('link', { name: 'Favourites 1' }).click();
    await expectTitles(one.page, ['Article A']);
    expect([...one.problems, ...two.problems]).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  });

  it('what each did while one was offline is on both afterwards, and on the service', async () => {
    const name = someName();
    const [one, two] = await twoDevices(name);
    await save(one.page, 'https://example.com/a', 'A');
    await save(one.page, 'https://example.com/b', 'B');
    await expectTitles(two.page, ['B', 'A']);

    await one.context.setOffline(true);
    await save(one.page, 'https://example.com/c', 'C');
    await row(one.page, 'A').locator('.row-main').focus();
    await one.page.keyboard.press('e');
    await one.page.getByText('Offline. Changes are kept here and sent later.').waitFor();
    await one.page.getByText('2 changes to send').waitFor();
    await photograph(one.page, 'web-offline');
    await save(two.page, 'https://example.com/d', 'D');
    await row(two.page, 'B').locator('.row-main').focus();
    await two.page.keyboard.press('#');
    await expectTitles(two.page, ['D', 'A']);

    await one.context.setOffline(false);
    for (const { page } of [one, two])
      await expect.poll(async () => (await titles(page)).sort(), { timeout: 20_000 }).toEqual(['C', 'D']);
    await one.page.getByText('Up to date').waitFor();
    const stored = await apiOf(service.url, name).list();
    expect(stored.map(({ title, archived }) => [title, archived]).sort()).toEqual([
      ['A', true],
      ['C', false],
      ['D', false],
    ]);
    expect([...one.problems, ...two.problems]).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  });

  it('an edit of what another device deleted is told in words, and can be saved again', async () => {
    const name = someName();
    const [one, two] = await twoDevices(name);
    await save(one.page, 'https://example.com/contested', 'Contested');
    await expectTitles(two.page, ['Contested']);
    await one.context.setOffline(true);
    await row(one.page, 'Contested').locator('.row-main').click();
    await one.page.getByRole('button', { name: 'Rename' }).click();
    await one.page.getByLabel('Title', { exact: true }).fill('My own title');
    await one.page.keyboard.press('Enter');
    await row(two.page, 'Contested').locator('.row-main').focus();
    await two.page.keyboard.press('#');
    await expect.poll(() => apiOf(service.url, name).list()).toEqual([]);

    await one.context.setOffline(false);
    await one.page.getByText(/was deleted on another device while you changed it here/).waitFor();
    await photograph(one.page, 'web-conflict');
    await one.page.getByRole('button', { name: 'Save it again' }).click();
    await expect
      .poll(async () => (await apiOf(service.url, name).list()).map(({ title }) => title))
      .toEqual(['My own title']);
    await Promise.all([one.close(), two.close()]);
  });
});

it('two accounts on one device never see each other’s list, and each finds its own again', async () => {
  const [alice, bob] = [someName(), someName()];
  const { page, close } = await openDevice(browser, `${service.url}/app/`);
  const signOut = async () => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
  };
  await signInByName(page, alice);
  await save(page, 'https://example.com/alice', 'of Alice');
  await signOut();
  await signInByName(page, bob);
  await page.getByText('Nothing left to read.').waitFor();
  await save(page, 'https://example.com/bob', 'of Bob');
  await signOut();
  await vi.waitFor(async () => {
    const names = await page.evaluate<string[]>('indexedDB.databases().then((all) => all.map(({ name }) => name))');
    expect(names).toEqual(['reading-list']);
  }, 10_000);
  await signInByName(page, alice);
  await expectTitles(page, ['of Alice']);
  await close();
});

it('signing out asks about changes that were not sent', async () => {
  const { page, context, close } = await openDevice(browser, `${service.url}/app/`);
  await signInByName(page, someName());
  await context.setOffline(true);
  await save(page, 'https://example.com/unsent', 'Unsent');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('1 change has not been sent yet.').waitFor();
  await page.getByRole('button', { name: 'Stay signed in', exact: true }).click();
  await expectTitles(page, ['Unsent']);
  await close();
});

it('a deletion that was not sent counts as a change', async () => {
  const name = someName();
  const { page, context, close } = await openDevice(browser, `${service.url}/app/`);
  await signInByName(page, name);
  await save(page, 'https://example.com/deleted', 'Deleted');
  await expect.poll(() => apiOf(service.url, name).list()).toHaveLength(1);
  await context.setOffline(true);
  await row(page, 'Deleted').locator('.row-main').focus();
  await page.keyboard.press('#');
  await expectTitles(page, []);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('1 change has not been sent yet.').waitFor();
  await close();
});

it('a device that nobody stays signed in on says that it has changes, and sends them at the next sign-in', async () => {
  const name = someName();
  const { page, context, close } = await openDevice(browser, `${service.url}/app/`);
  await page.getByLabel('Stay signed in on this device').uncheck();
  await signInByName(page, name);
  await page.getByText('Up to date').waitFor();
  await context.setOffline(true);
  await save(page, 'https://example.com/unsent', 'Unsent');
  await page.getByText('1 change').first().waitFor();
  await context.setOffline(false);
  await context.route('**/v2/**', (route) => route.abort());
  await page.reload();
  await page.getByText('This device has 1 unsent change.').waitFor();
  await context.unroute('**/v2/**');
  await page.reload();
  await signInByName(page, name);
  await expect.poll(async () => (await apiOf(service.url, name).list()).map(({ title }) => title)).toEqual(['Unsent']);
  await close();
});

describe('the service', () => {
  it('may go away and come back: nothing is lost, and the page says what is going on', async () => {
    const name = someName();
    const { page, problems, close } = await openDevice(browser, `${service.url}/app/`);
    await signInByName(page, name);
    await save(page, 'https://example.com/before', 'Before');
    await page.getByText('Up to date').waitFor();
    await service.kill();
    await save(page, 'https://example.com/during', 'During');
    await page.getByText('Offline.').waitFor();
    await start();
    await expect
      .poll(async () => (await apiOf(service.url, name).list()).map(({ title }) => title), { timeout: 30_000 })
      .toEqual(['During', 'Before']);
    await page.getByText('Up to date').waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it('may tell a device that was away for long to start over: its list is that of the service afterwards', async () => {
    const name = someName();
    const { page, context, close } = await openDevice(browser, `${service.url}/app/`);
    await signInByName(page, name);
    for (const title of ['A', 'B']) await save(page, `https://example.com/${title}`, title);
    await page.getByText('Up to date').waitFor();
    await context.setOffline(true);
    const api = apiOf(service.url, name);
    const [first] = await api.list();
    await api.call('DELETE', `/articles/${String(first!.id)}`);
    await api.create({ url: 'https://example.com/C', title: 'C' });
    // Every poll of the device from before is answered as after a purge of tombstones.
    await context.route(
      '**/v2/articles?*_since=*',
      async (route) => {
        const response = await route.fetch();
        const items = ((await response.json().catch(() => ({ items: [] }))) as { items: { deleted?: boolean }[] })
          .items;
        const body = JSON.stringify({ items: items.filter(({ deleted }) => deleted !== true) });
        await route.fulfill({ response, body, headers: { ...response.headers(), 'start-over': 'true' } });
      },
      { times: 1 },
    );
    await context.setOffline(false);
    await expect.poll(async () => (await titles(page)).sort(), { timeout: 20_000 }).toEqual(['A', 'C']);
    await close();
  });

  it('may reach its end: the page says so, and what is on the device can be exported', async () => {
    const { page, close } = await openDevice(browser, `${service.url}/app/`);
    await signInByName(page, someName());
    await save(page, 'https://example.com/kept', 'Kept');
    await page.getByText('Up to date').waitFor();
    await service.stop();
    await start({ EOS_DATE: '2020-01-01', EOS_MESSAGE: 'Thank you for reading', EOS_URL: 'https://example.com/bye' });
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('This service has reached its end and takes no more changes.').waitFor({ timeout: 30_000 });
    await page.getByText('Thank you for reading').waitFor();
    await expectTitles(page, ['Kept']);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('reading-list.csv');
    await close();
    await service.stop();
    await start();
  });
});
