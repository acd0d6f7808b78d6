import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { launchWholeChromium } from '../auth/chromium.js';
import { apiOf, expectTitles, openDevice, row, save, signInByName, someName, useWorld } from './device.js';

const world = useWorld();

/** A device whose list has the articles C, B and A, from top to bottom. */
async function withArticles(browser = world.browser) {
  const name = someName();
  const api = apiOf(world.url, name);
  for (const title of ['A', 'B', 'C']) await api.create({ url: `https://example.com/${title}`, title });
  const device = await openDevice(browser, `${world.url}/app/`);
  await signInByName(device.page, name);
  await expectTitles(device.page, ['C', 'B', 'A']);
  const stored = async (title: string) => (await api.list()).find((article) => article.title === title);
  return { ...device, api, stored };
}

const openHelp = async (page: Page) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
};
const isSwitchedOn = (page: Page) => page.getByLabel('Use single keys as shortcuts');

describe('shortcuts of a single character', () => {
  it('can be switched off, which the browser remembers, and on again', async () => {
    const { page, close, stored } = await withArticles();
    await openHelp(page);
    await isSwitchedOn(page).uncheck();
    await page.keyboard.press('Escape');
    const pressAll = async () => {
      await row(page, 'C').locator('.row-main').focus();
      for (const key of ['m', 'e', 'f', '#', 'r', 'j', 'a', '/', '?', 'o', 'g', 'f']) await page.keyboard.press(key);
      await page.waitForTimeout(300);
    };
    for (const again of [false, true]) {
      if (again) await page.reload();
      await expectTitles(page, ['C', 'B', 'A']);
      await pressAll();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(page.context().pages()).toHaveLength(1);
      expect(await stored('C')).toMatchObject({ unread: true, archived: false, favorite: false });
      expect(await page.evaluate('document.activeElement.className')).toBe('row-main');
      await expectTitles(page, ['C', 'B', 'A']);
    }
    // Keys that are not characters still work.
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('.row-main:focus .row-title').textContent()).toBe('B');
    await page.keyboard.press('Enter');
    await page.locator('#detail-title', { hasText: 'B' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Select an article to see its details.').waitFor();

    await openHelp(page);
    await isSwitchedOn(page).check();
    await page.keyboard.press('Escape');
    await row(page, 'B').locator('.row-main').focus();
    await page.keyboard.press('f');
    await expect.poll(() => stored('B')).toMatchObject({ favorite: true });
    await close();
  });
});

describe('keys', () => {
  it('act on the open article, wherever the focus is', async () => {
    const { page, close, stored } = await withArticles();
    await row(page, 'B').locator('.row-main').click();
    await page.locator('#detail-title', { hasText: 'B' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).focus();
    await page.keyboard.press('f');
    await expect.poll(() => stored('B')).toMatchObject({ favorite: true });
    await page.keyboard.press('e');
    await expect.poll(() => stored('B')).toMatchObject({ archived: true });
    for (const other of ['A', 'C'] as const)
      expect(await stored(other)).toMatchObject({ favorite: false, archived: false });
    await close();
  });

  it('move step by step, also when they are pressed faster than the page is painted', async () => {
    const { page, close } = await withArticles();
    await row(page, 'C').locator('.row-main').focus();
    const seen = await page.evaluate<string[]>(`(async () => {
      const seen = [];
      for (const key of ['j', 'j', 'k', 'j', 'k', 'k']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        for (let turn = 0; turn < 10; turn++) await undefined;
        seen.push(document.activeElement.querySelector('.row-title').textContent);
      }
      return seen;
    })()`);
    expect(seen).toEqual(['B', 'A', 'B', 'A', 'B', 'C']);
    await page.locator('#detail-title', { hasText: 'C' }).waitFor();
    expect(await page.locator('#detail-title').textContent()).toBe('C');
    await close();
  });

  it.each<[string, string[], string[], string]>([
    ['delete two articles', ['#', '#'], ['A'], 'Deleted “B”'],
    ['archive two articles', ['e', 'e'], ['A'], 'Archived “B”'],
    ['mark one as read and delete the next', ['m', '#'], ['A'], 'Deleted “B”'],
    ['add an article to the favourites and remove it', ['f', 'f'], ['C', 'B', 'A'], 'Removed “C” from favourites'],
    ['archive an article and undo that', ['f', 'e', 'z'], ['C', 'B', 'A'], 'Undone'],
  ])('%s, also when they are pressed before the list shows what the first one did', async (_name, keys, left, told) => {
    const { page, problems, close } = await withArticles();
    await row(page, 'C').locator('.row-main').click();
    await page.locator('#detail-title', { hasText: 'C' }).waitFor();
    await page.evaluate(`for (const key of ${JSON.stringify(keys)})
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`);
    await page.locator('.toast p', { hasText: told }).waitFor();
    await expectTitles(page, left);
    await page.locator('#detail-title', { hasText: left[0] }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it('undo one action after the other, the last one first', async () => {
    const { page, close, api, stored } = await withArticles();
    await row(page, 'B').locator('.row-main').focus();
    await page.keyboard.press('f');
    await expect.poll(() => stored('B')).toMatchObject({ favorite: true });
    await page.keyboard.press('#');
    await expect.poll(() => stored('B')).toBeUndefined();
    await row(page, 'A').locator('.row-main').focus();
    await page.keyboard.press('e');
    await expect.poll(() => stored('A')).toMatchObject({ archived: true });
    await page.keyboard.press('z');
    await expect.poll(() => stored('A')).toMatchObject({ archived: false });
    // The service has a new article now, to which what was done before applies.
    await page.keyboard.press('z');
    await expect.poll(() => stored('B')).toMatchObject({ favorite: true });
    await page.keyboard.press('z');
    await expect.poll(() => stored('B')).toMatchObject({ favorite: false });
    await page.keyboard.press('z');
    await page.getByText('Nothing to undo.').waitFor();
    expect(await api.list()).toHaveLength(3);
    await close();
  });

  it('undo the deletion of this tab, also where another tab deleted another article since', async () => {
    const { page, context, close, api } = await withArticles();
    const other = await context.newPage();
    await other.goto(`${world.url}/app/`);
    await expectTitles(other, ['C', 'B', 'A']);
    await page.getByText('Up to date').waitFor();
    await context.setOffline(true);
    for (const [tab, title, left] of [
      [page, 'B', ['C', 'A']],
      [other, 'C', ['A']],
    ] as const) {
      await row(tab, title).locator('.row-main').focus();
      await tab.keyboard.press('#');
      for (const each of [page, other]) await expectTitles(each, [...left]);
    }
    await page.keyboard.press('z');
    for (const tab of [page, other]) await expectTitles(tab, ['B', 'A']);
    await context.setOffline(false);
    await page.getByText('Up to date').waitFor();
    await expect.poll(async () => (await api.list()).map(({ title }) => title)).toEqual(['B', 'A']);
    await other.keyboard.press('z');
    for (const tab of [page, other]) await expectTitles(tab, ['C', 'B', 'A']);
    await close();
  });

  it('undo a new name also of an article that had none, which a resolver may still give one', async () => {
    const { page, context, close, api } = await withArticles();
    const url = 'https://example.com/untitled';
    const articleThere = async () => (await api.list()).find((article) => article.url === url);
    await page.getByText('Up to date').waitFor();
    await context.setOffline(true);
    await save(page, url);
    const rename = async () => {
      await expectTitles(page, ['example.com/untitled', 'C', 'B', 'A']);
      await row(page, 'example.com/untitled').locator('.row-main').focus();
      await page.keyboard.press('r');
      await page.getByLabel('Title', { exact: true }).fill('A name');
      await page.keyboard.press('Enter');
      await expectTitles(page, ['A name', 'C', 'B', 'A']);
    };
    await rename();
    await context.setOffline(false);
    await page.getByText('Up to date').waitFor();
    await page.keyboard.press('z');
    await page.getByText('Undone').waitFor();
    await page.getByText('Up to date').waitFor();
    await expectTitles(page, ['example.com/untitled', 'C', 'B', 'A']);
    await expect.poll(articleThere).toMatchObject({ title: url });
    // One that the service has is without a title again.
    const { id } = (await articleThere())!;
    const news = page.waitForResponse((response) => response.url().includes('/v2/articles?') && response.ok());
    await api.call('PATCH', `/articles/${String(id)}`, { title: null, resolved_title: null });
    await (await news).finished();
    await rename();
    await expect.poll(articleThere).toMatchObject({ title: 'A name' });
    await page.keyboard.press('z');
    await expect.poll(articleThere).toMatchObject({ title: '', resolved_title: null });
    await expectTitles(page, ['example.com/untitled', 'C', 'B', 'A']);
    await close();
  });

  it('mean nothing while an input method is composing', async () => {
    const { page, close, stored } = await withArticles();
    const session = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await row(page, 'B').locator('.row-main').click();
    await page.getByRole('button', { name: 'Rename' }).click();
    const field = page.getByLabel('Title', { exact: true });
    await field.fill('');
    await compose('かんじ');
    for (const key of ['Enter', 'Escape']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(200);
      expect([key, await field.count()]).toEqual([key, 1]);
      await compose('かんじ');
    }
    await session.send('Input.insertText', { text: '漢字' });
    await page.keyboard.press('Enter');
    await expect.poll(() => stored('漢字')).toMatchObject({ title: '漢字' });
    await page.keyboard.press('/');
    await compose('かん');
    for (const key of ['Enter', 'Escape', 'ArrowDown']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(200);
      expect([key, await page.evaluate('document.activeElement.type')]).toEqual([key, 'search']);
      await compose('かん');
    }
    await page.locator('#detail-title', { hasText: '漢字' }).waitFor();
    await close();
  });

  it('that a keyboard layout has on the third level are as good as any other', async () => {
    const { page, close } = await withArticles();
    await row(page, 'B').locator('.row-main').focus();
    const press = (init: object) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '#', bubbles: true, ...${JSON.stringify(init)} }))`,
      );
    await press({ ctrlKey: true, altKey: true });
    await page.waitForTimeout(200);
    await expectTitles(page, ['C', 'B', 'A']);
    await press({ ctrlKey: true, altKey: true, modifierAltGraph: true });
    await expectTitles(page, ['C', 'A']);
    await close();
  });
});

it('no key and no frame reaches the list once the user is signed out', async () => {
  const { page, problems, close } = await withArticles();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.evaluate(`{
    const list = document.querySelector('#list');
    const scroll = setInterval(() => list.dispatchEvent(new Event('scroll')));
    new MutationObserver((_, observer) => {
      if (list.isConnected) return;
      observer.disconnect();
      clearInterval(scroll);
      const key = new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true });
      document.body.dispatchEvent(key);
      window.__taken = key.defaultPrevented;
    }).observe(document.body, { childList: true, subtree: true });
  }`);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByLabel('Name').waitFor();
  await expect.poll(() => page.evaluate('window.__taken')).toBe(false);
  expect(problems).toEqual([]);
  await close();
});

it('an article opens in another tab where a link would', async () => {
  const browser = await launchWholeChromium();
  const { page, context } = await withArticles(browser);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    row(page, 'B')
      .locator('.row-main')
      .click({ modifiers: ['Control'] }),
  ]);
  await opened.locator('#detail-title', { hasText: 'B' }).waitFor();
  await page.getByText('Select an article to see its details.').waitFor();
  await browser.close();
});

describe('another tab', () => {
  it('takes over what is set in the settings, and does not set it back', async () => {
    const { page, context, close, api } = await withArticles();
    const other = await context.newPage();
    await other.goto(`${world.url}/app/`);
    await expectTitles(other, ['C', 'B', 'A']);
    await openHelp(page);
    await isSwitchedOn(page).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Name of this device').fill('My laptop');
    await page.keyboard.press('Tab');
    await page.getByLabel('Language').selectOption('de');
    await page.keyboard.press('Escape');

    await other.getByLabel('Reihenfolge').selectOption('oldest');
    await expectTitles(other, ['A', 'B', 'C']);
    await row(other, 'B').locator('.row-main').focus();
    await other.keyboard.press('#');
    await other.waitForTimeout(300);
    await expectTitles(other, ['A', 'B', 'C']);
    await other.getByRole('button', { name: 'Artikel speichern' }).click();
    await other.getByLabel('Adresse').fill('https://example.com/D');
    await other.keyboard.press('Enter');
    await expect.poll(async () => (await api.list())[0]).toMatchObject({ added_by: 'My laptop' });

    await page.reload();
    await page.getByRole('button', { name: 'Mehr' }).click();
    await page.getByRole('button', { name: 'Tastenkürzel' }).click();
    expect(await page.getByLabel('Einzelne Tasten als Kürzel verwenden').isChecked()).toBe(false);
    await close();
  });
});
