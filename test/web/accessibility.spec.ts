import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { apiOf, signInByName, someName, useWorld } from './device.js';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const world = useWorld();

/** What axe finds wrong with the page as it is, in the light and in the dark, in one line each. */
async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => true)',
    );
    const here = await page.evaluate<
      string[]
    >(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
    found.push(...here.map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwe '.repeat(12);

async function fill(name: string): Promise<void> {
  const api = apiOf(world.url, name);
  await api.create({
    url: 'https://example.com/1',
    title: 'Read in part',
    word_count: 1000,
    read_position: 300,
    favorite: true,
  });
  await api.create({ url: 'https://example.com/2', title: LONG, excerpt: LONG });
  await api.create({ url: 'https://example.com/3', title: 'مقال طويل عن القراءة', archived: true, unread: false });
  await api.create({ url: 'ftp://example.com/4', title: 'No web page' });
}

it.each(['en-GB', 'de-DE'])('axe finds nothing wrong with any view, light or dark, in %s', async (locale) => {
  const { page, close } = await world.device({ locale, bypassCSP: true });
  await page.locator('form').first().waitFor();
  expect(await violations(page)).toEqual([]);
  const name = someName();
  await fill(name);
  await page.locator('input[autocomplete=username]').fill(name);
  await page.locator('input[type=password]').first().fill('secret');
  await page.keyboard.press('Enter');
  await page.locator('.list .row').nth(1).waitFor();
  for (const view of ['unread', 'favorites', 'archive', 'all']) {
    await page.locator(`nav a[href="#/${view}"]`).click();
    await page.locator('.list .row').first().waitFor();
    await page.keyboard.press('j');
    expect([view, ...(await violations(page))]).toEqual([view]);
  }
  for (const key of ['a', '?']) {
    await page.keyboard.press(key);
    await page.locator('dialog[open]').waitFor();
    expect([key, ...(await violations(page))]).toEqual([key]);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  await page.locator('.menu .icon-button').click();
  expect(await violations(page)).toEqual([]);
  await page.locator('.menu-entries button').first().click();
  await page.locator('dialog[open]').waitFor();
  expect(await violations(page)).toEqual([]);
  await close();
});

it('how far an article was read is said also where nobody knows how long it is', async () => {
  const name = someName();
  await apiOf(world.url, name).create({ url: 'https://example.com/1', title: 'Of some length', read_position: 1200 });
  const { page, close } = await world.device({ bypassCSP: true });
  await signInByName(page, name);
  await page.locator('.row-facts').getByText('word 1,200').waitFor();
  await page.locator('.row-main').click();
  await page.locator('.detail').getByText('How far you have read: word 1,200').waitFor();
  expect(await violations(page)).toEqual([]);
  await close();
});

it('axe finds nothing wrong with the details, a notice, or the question of a link, light or dark, on a phone', async () => {
  const viewport = { width: 390, height: 800 };
  const { page, context, close } = await world.device({ viewport, bypassCSP: true });
  const name = someName();
  await fill(name);
  await signInByName(page, name);
  await page.locator('.list .row-main').nth(1).click();
  await page.locator('.detail').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await context.route('**/v2/**', (route) =>
    route.fulfill({ status: 503, json: { code: 503, errno: 201, message: 'no' } }),
  );
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByText('The service has a problem.').waitFor();
  expect(await violations(page)).toEqual([]);
  await context.unroute('**/v2/**');
  await page.route('**/app/account', (route) => route.fulfill({ json: { account: 'another' } }));
  await page.goto(`${world.url}/app/#token=rl_of-another`);
  await page.getByRole('heading', { name: 'Open another list?' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await close();
});

it('nothing is wider than the window, whatever its width', async () => {
  const { page, close } = await world.device();
  const name = someName();
  await fill(name);
  await signInByName(page, name);
  const overflow = () =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  for (const width of [320, 390, 768, 1280, 3840]) {
    await page.goto('about:blank');
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${world.url}/app/`);
    await page.locator('.list .row').nth(1).waitFor();
    expect([width, await overflow()]).toEqual([width, 0]);
    await page.locator('.list .row-main').nth(1).click();
    expect([width, await overflow()]).toEqual([width, 0]);
    await page.evaluate(`document.documentElement.dir = 'rtl'`);
    expect([width, await overflow()]).toEqual([width, 0]);
  }
  await close();
});

it('the keyboard alone is enough, and the focus is never lost', async () => {
  const { page, close } = await world.device();
  const name = someName();
  for (const letter of 'ABCDE')
    await apiOf(world.url, name).create({ url: `https://example.com/${letter}`, title: letter });
  await signInByName(page, name);
  await page.locator('.list .row').nth(4).waitFor();
  const focused = () =>
    page.evaluate<string>(
      `document.activeElement.closest('.row')?.querySelector('.row-title').textContent ?? document.activeElement.tagName`,
    );
  const seen: string[] = [];
  for (const key of ['j', 'j', 'j', 'k', 'e', '#', 'm']) {
    const before = await focused();
    await page.keyboard.press(key);
    await expect.poll(focused).not.toMatch(new RegExp(`^(BODY|${before})$`));
    await page.waitForTimeout(150);
    seen.push(await focused());
  }
  expect(new Set(seen.slice(0, 4)).size).toBe(3);
  expect(seen).not.toContain('BODY');
  expect(new Set(seen.slice(3)).size).toBe(4);
  await page.keyboard.press('/');
  expect(await focused()).toBe('INPUT');
  await page.keyboard.type('zzz');
  await page.getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.list .row').count()).toBe(2);
  await close();
});

it('what was done is said again when it is done again', async () => {
  const name = someName();
  await fill(name);
  const { page, close } = await world.device();
  await signInByName(page, name);
  await page.locator('.list .row-main').first().focus();
  for (const [key, said] of [
    ['f', 'to favourites'],
    ['m', 'as read'],
    ['z', 'Undone'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator('.toast').getByText(said).waitFor();
  }
  await page.evaluate(`{
    window.said = [];
    new MutationObserver((changes) => said.push(...changes.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent))))
      .observe(document.querySelector('.toast'), { childList: true, subtree: true });
  }`);
  await page.keyboard.press('z');
  await expect.poll(() => page.evaluate<string[]>('said')).toContainEqual(expect.stringMatching(/^Undone: /));
  await close();
});

it('the time of the last sync is there for whoever reads it, but not announced every minute', async () => {
  const { page, close } = await world.deviceOf(someName());
  await page.getByText('Up to date').waitFor();
  expect(await page.locator('.sync-line [role=status] [aria-live=off]').textContent()).toMatch(/^\d\d:\d\d/);
  await close();
});

describe.each([1100, 1280])('in a window of %i pixels', (width) => {
  it('the buttons of the chosen row cover no fact, and a short site leaves no gap', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    const facts = { word_count: 52_000, read_position: 3000 };
    await api.create({ url: 'https://fs.blog/a', title: 'Short site', ...facts });
    await api.create({ url: 'https://magazine.example.com/b', title: 'Long site', ...facts });
    const { page, close } = await world.device({ viewport: { width, height: 800 } });
    await signInByName(page, name);
    await page.locator('.list .row').nth(1).waitFor();
    const measured = async (title: string) => {
      await page.locator('.list .row', { hasText: title }).hover();
      return page.evaluate<{ covered: string[]; gaps: number[] }>(`(() => {
        const row = document.querySelector('.list .row:hover');
        const buttons = row.querySelector('.row-actions').getBoundingClientRect();
        const line = row.querySelector('.row-facts').getBoundingClientRect();
        const facts = [...row.querySelectorAll('.row-facts > :not(.visually-hidden)')].map((fact) => {
          const range = document.createRange();
          range.selectNodeContents(fact);
          return { text: fact.textContent, box: range.getBoundingClientRect() };
        }).filter(({ box }) => box.top < line.bottom - 2);
        return {
          covered: facts.filter(({ box }) => box.right > buttons.left).map(({ text }) => text),
          gaps: facts.slice(1).map(({ box }, at) => Math.round(box.left - facts[at].box.right)),
        };
      })()`);
    };
    for (const title of ['Short site', 'Long site']) {
      const { covered, gaps } = await measured(title);
      expect([title, covered, [...new Set(gaps)]]).toEqual([title, [], [12]]);
    }
    await close();
  });
});

it('what is saved after signing in makes no page wider than its window, however long its address is', async () => {
  const { page, close } = await world.device({ viewport: { width: 320, height: 640 } });
  await page.goto('about:blank');
  await page.goto(`${world.url}/app/#save=https://example.com/${'a'.repeat(300)}`);
  await page.getByText('will be saved as soon as you sign in and confirm it.').waitFor();
  const width = 'document.documentElement.scrollWidth';
  expect(await page.evaluate(width)).toBe(320);
  await close();
});
