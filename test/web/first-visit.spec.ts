import { describe, expect, it } from 'vitest';
import { photograph } from '../auth/chromium.js';
import { apiOf, expectTitles, openDevice, row, save, signInByName, someName, useWorld } from './device.js';

describe.each(['SQLite', 'MariaDB'])('a first visit, with %s', (backend) => {
  const world = useWorld(backend);

  it('leads from the address of the service to a saved article, which other devices get', async () => {
    const { url } = world;
    const name = someName();
    const { page, problems, close } = await openDevice(world.browser, `${url}/`);
    expect(page.url()).toBe(`${url}/app/`);
    await signInByName(page, name);
    await page.getByText('Nothing left to read.').waitFor();

    await save(page, 'https://example.com/first', 'The first one');
    await expectTitles(page, ['The first one']);
    await page.locator('.row-main').focus();
    await page.keyboard.press('m');
    await page.getByText('Nothing left to read.').waitFor();
    await page.keyboard.press('z');
    await expectTitles(page, ['The first one']);
    await expect
      .poll(async () => (await apiOf(url, name).list()).map((article) => [article.url, article.title]))
      .toEqual([['https://example.com/first', 'The first one']]);

    await apiOf(url, name).create({ url: 'https://example.com/second', title: 'From the phone' });
    await expectTitles(page, ['From the phone', 'The first one']);
    await photograph(page, 'web-first-visit');
    expect(problems).toEqual([]);
    await close();
  });

  it('an address as browsers show it is saved with the scheme that they hide, one that is too long not even in part', async () => {
    const name = someName();
    const { page, close } = await world.deviceOf(name);
    const stored = async () => (await apiOf(world.url, name).list()).map(({ url }) => url);
    const saved: string[] = [];
    for (const address of ['müller.example/straße', 'example.com:8080/a', 'www.example.com']) {
      await save(page, address);
      saved.unshift(`https://${address}`);
      await expect.poll(stored).toEqual(saved);
    }
    await page.getByRole('button', { name: 'Save an article' }).click();
    await page.getByLabel('Address').focus();
    await page.keyboard.insertText(`https://example.com/${'a'.repeat(2100)}`);
    await page.keyboard.press('Enter');
    await page.getByText('url: longer than 2048 characters').waitFor();
    expect((await page.getByLabel('Address').inputValue()).length).toBe(2120);
    await close();
  });

  it('the settings say by which name one has signed in, as another one is another list', async () => {
    const name = someName();
    const { page, close } = await world.deviceOf(name);
    await page.reload();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog').getByText(name, { exact: true }).waitFor();
    await close();
  });

  it('everything that can be done with an article reaches the service, and can be undone', async () => {
    const { url } = world;
    const name = someName();
    const api = apiOf(url, name);
    await api.create({ url: 'https://example.com/a', title: 'A', word_count: 1000 });
    const { page, problems, close } = await world.device();
    await signInByName(page, name);
    await row(page, 'A').locator('.row-main').click();
    const stored = async () => (await api.list())[0];
    const press = (key: string) => page.keyboard.press(key);

    await press('f');
    await expect.poll(stored).toMatchObject({ favorite: true });
    await page.getByLabel('How far you have read').fill('420');
    await expect.poll(stored).toMatchObject({ read_position: 420 });
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title', { exact: true }).fill('A, renamed');
    await press('Enter');
    await expect.poll(stored).toMatchObject({ title: 'A, renamed' });
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await expect.poll(stored).toMatchObject({ unread: false });
    expect((await stored())!.marked_read_by).toMatch(/ on Linux$/);
    await press('z');
    await expect.poll(stored).toMatchObject({ unread: true, read_position: 420, marked_read_by: null });
    await page.locator('.list .row-main').first().focus();
    await press('e');
    await expect.poll(stored).toMatchObject({ archived: true });
    await expectTitles(page, []);
    await press('z');
    await expectTitles(page, ['A, renamed']);
    await page.locator('.list .row-main').first().focus();
    await press('#');
    await expectTitles(page, []);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectTitles(page, ['A, renamed']);
    await expect.poll(stored).toMatchObject({ title: 'A, renamed', archived: false, favorite: true });
    expect(problems).toEqual([]);
    await close();
  });
});
