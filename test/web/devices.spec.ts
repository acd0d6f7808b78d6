import { resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { photograph } from '../auth/chromium.js';
import { mustRun } from '../operations/run-command.js';
import {
  apiOf,
  describeWorlds,
  type Device,
  expectTitles,
  row,
  save,
  signInByName,
  someName,
  titles,
} from './device.js';

describeWorlds(
  'devices of one account',
  (world) => {
    const twoDevices = async (name: string): Promise<[Device, Device]> => [
      await world.deviceOf(name),
      await world.deviceOf(name),
    ];

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
      const stored = await (await world.api(name)).list();
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
      await expect.poll(async () => (await world.api(name)).list()).toEqual([]);

      await one.context.setOffline(false);
      await one.page.getByText(/was deleted on another device while you changed it here/).waitFor();
      await photograph(one.page, 'web-conflict');
      await one.page.getByText('Up to date').waitFor();
      for (let time = 0; time < 2; time++) {
        await one.page.reload();
        await one.page.getByText('Up to date').waitFor();
        await one.page.getByText(/was deleted on another device while you changed it here/).waitFor();
      }
      await one.page.getByRole('button', { name: 'Save it again' }).click();
      await expect
        .poll(async () => (await (await world.api(name)).list()).map(({ title }) => title))
        .toEqual(['My own title']);
      await one.page.reload();
      await expectTitles(one.page, ['My own title']);
      expect(await one.page.getByText(/was deleted on another device/).count()).toBe(0);
      await Promise.all([one.close(), two.close()]);
    });

    /** The operator's own purge, by a clock that is days ahead: no tombstone is too young for it. */
    const purge = () =>
      mustRun(['purge'], {
        ...world.settings,
        TOMBSTONE_RETENTION_DAYS: '1',
        NODE_OPTIONS: `--import=${resolve('test/support/skewed-clock.mjs')}`,
        CLOCK_SKEW_MS: String(3 * 86_400_000),
      });

    it('one that was away until tombstones were purged starts over: what was deleted goes, its own edits stay', async () => {
      const name = someName();
      const [one, two] = await twoDevices(name);
      for (const title of ['A', 'B', 'C']) await save(one.page, `https://example.com/${title}`, title);
      await expectTitles(two.page, ['C', 'B', 'A']);
      await one.page.getByText('Up to date').waitFor();
      const told: string[] = [];
      one.page.on('response', (response) => told.push(response.headers()['start-over'] ?? 'no'));

      await one.context.setOffline(true);
      await row(one.page, 'B').locator('.row-main').click();
      await one.page.getByRole('button', { name: 'Rename' }).click();
      await one.page.getByLabel('Title', { exact: true }).fill('B, renamed');
      await one.page.keyboard.press('Enter');
      await save(one.page, 'https://example.com/draft', 'Draft');
      await one.page.getByText('Offline. Changes are kept here and sent later.').waitFor();
      await row(two.page, 'A').locator('.row-main').focus();
      await two.page.keyboard.press('#');
      await save(two.page, 'https://example.com/D', 'D');
      const stored = async () => (await (await world.api(name)).list()).map(({ title }) => title);
      await expect.poll(stored).toEqual(['D', 'C', 'B']);
      expect(await purge()).toMatch(/^purged [1-9]\d* tombstones/);
      await expectTitles(one.page, ['Draft', 'C', 'B, renamed', 'A']);
      expect(told).not.toContain('true');

      await one.context.setOffline(false);
      const all = ['B, renamed', 'C', 'D', 'Draft'];
      for (const { page } of [one, two])
        await expect.poll(async () => (await titles(page)).sort(), { timeout: 20_000 }).toEqual(all);
      await one.page.getByText('Up to date').waitFor();
      expect(told).toContain('true');
      expect((await stored()).sort()).toEqual(all);
      expect([...one.problems, ...two.problems]).toEqual([]);
      await Promise.all([one.close(), two.close()]);
    });

    it('the service may go away and come back: nothing is lost, and the page says what is going on', async () => {
      const name = someName();
      const { page, problems, close } = await world.deviceOf(name);
      await save(page, 'https://example.com/before', 'Before');
      await page.getByText('Up to date').waitFor();
      await world.service.kill();
      await save(page, 'https://example.com/during', 'During');
      await page.getByText('Offline.').waitFor();
      await world.start();
      await expect
        .poll(async () => (await (await world.api(name)).list()).map(({ title }) => title), { timeout: 30_000 })
        .toEqual(['During', 'Before']);
      await page.getByText('Up to date').waitFor();
      expect(problems).toEqual([]);
      await close();
    });

    it('the service may reach its end: the page says so, and what is on the device can be exported', async () => {
      const { page, close } = await world.deviceOf(someName());
      await save(page, 'https://example.com/kept', 'Kept');
      await page.getByText('Up to date').waitFor();
      await world.service.stop();
      await world.start({
        EOS_DATE: '2020-01-01',
        EOS_MESSAGE: 'Thank you for reading',
        EOS_URL: 'https://example.com/bye',
      });
      await page.getByRole('button', { name: 'Sync now' }).click();
      await page
        .getByText('This service has been discontinued and accepts no more changes.')
        .waitFor({ timeout: 30_000 });
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
      await world.service.stop();
      await world.start();
    });
  },
  (world) => {
    it('two accounts on one device never see each other’s list, and each finds its own again', async () => {
      const [alice, bob] = [someName(), someName()];
      const { page, close } = await world.device();
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
      const { page, context, close } = await world.device();
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
      const { page, context, close } = await world.device();
      await signInByName(page, name);
      await save(page, 'https://example.com/deleted', 'Deleted');
      await expect.poll(() => apiOf(world.url, name).list()).toHaveLength(1);
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
      const { page, context, close } = await world.device();
      await signInByName(page, name, false);
      await page.getByText('Up to date').waitFor();
      await context.setOffline(true);
      await save(page, 'https://example.com/unsent', 'Unsent');
      await page.getByText('1 change').first().waitFor();
      // Before it is online, as it would send the change at once.
      await context.route('**/v2/**', (route) => route.abort());
      await context.setOffline(false);
      await page.reload();
      await page.getByText('This device has 1 unsent change.').waitFor();
      await context.unroute('**/v2/**');
      await page.reload();
      await signInByName(page, name);
      await expect
        .poll(async () => (await apiOf(world.url, name).list()).map(({ title }) => title))
        .toEqual(['Unsent']);
      await close();
    });
  },
);
