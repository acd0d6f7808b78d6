import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Api, apiOf, type Device, expectTitles, row, signInByName, someName, useWorld } from './device.js';

const world = useWorld();

const WIDE = { viewport: { width: 1280, height: 800 } };
const NARROW = { viewport: { width: 390, height: 800 } };

/** What has the focus, in words: a row by its title, anything else by its name. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const element = document.activeElement;
    if (element === document.body) return 'nothing';
    if (element.matches('.row-main')) return 'row ' + element.querySelector('.row-title').textContent;
    if (element.id === 'list') return 'list';
    const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
    return element.localName + ' ' + name.trim();
  })()`);
const expectFocus = (page: Page, expected: string) =>
  expect.poll(async () => focused(page), { interval: 100 }).toBe(expected);

/** A device with the articles C, B and A, from top to bottom. */
async function withArticles(options: BrowserContextOptions): Promise<Device & { api: Api }> {
  const name = someName();
  const api = apiOf(world.url, name);
  for (const title of ['A', 'B', 'C']) await api.create({ url: `https://example.com/${title}`, title });
  const device = await world.device(options);
  await signInByName(device.page, name);
  await expectTitles(device.page, ['C', 'B', 'A']);
  return { ...device, api };
}

type Steps = (page: Page, device: Device & { api: Api }) => Promise<unknown>;
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const openRow = async (page: Page, title: string) => {
  await row(page, title).locator('.row-main').click();
  await page.locator('#detail-title', { hasText: title }).waitFor();
};
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const focusRow = (page: Page, title: string) => row(page, title).locator('.row-main').focus();
const openMenu = async (page: Page, entry: string) => {
  await click(page, 'More');
  await click(page, entry);
  await page.getByRole('dialog').waitFor();
};

const ACTIONS: [action: string, options: BrowserContextOptions, steps: Steps, expected: string][] = [
  [
    'renaming with the button',
    WIDE,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Rename');
      await page.getByLabel('Title', { exact: true }).fill('B, renamed');
      await press(page, 'Enter');
      await page.locator('h2', { hasText: 'B, renamed' }).waitFor();
    },
    'button Rename',
  ],
  [
    'giving up a new name',
    WIDE,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Rename');
      await click(page, 'Cancel');
    },
    'button Rename',
  ],
  [
    'renaming with the keyboard',
    WIDE,
    async (page) => {
      await focusRow(page, 'B');
      await press(page, 'r');
      await page.getByLabel('Title', { exact: true }).fill('B2');
      await press(page, 'Enter');
      await expectTitles(page, ['C', 'B2', 'A']);
    },
    'row B2',
  ],
  [
    'renaming on a phone',
    NARROW,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Rename');
      await press(page, 'Escape');
    },
    'button Rename',
  ],
  [
    'undo',
    WIDE,
    async (page) => {
      await focusRow(page, 'B');
      await press(page, 'f');
      await click(page, 'Undo');
      await page.getByText('Undone').waitFor();
    },
    'row B',
  ],
  [
    'undoing a deletion',
    WIDE,
    async (page) => {
      await openRow(page, 'B');
      await press(page, '#');
      await page.locator('#detail-title', { hasText: 'A' }).waitFor();
      await click(page, 'Undo');
      await page.locator('#detail-title', { hasText: 'B' }).waitFor();
    },
    'row B',
  ],
  [
    'undoing a deletion that was already sent',
    WIDE,
    async (page, { api }) => {
      await focusRow(page, 'B');
      await press(page, '#');
      await expect.poll(async () => (await api.list()).length).toBe(2);
      await press(page, 'z');
      await expectTitles(page, ['C', 'B', 'A']);
    },
    'row B',
  ],
  [
    'undoing a deletion on a phone',
    NARROW,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Delete');
      await expectTitles(page, ['C', 'A']);
      await click(page, 'Undo');
      await expectTitles(page, ['C', 'B', 'A']);
    },
    'row B',
  ],
  [
    'undoing that an article was archived',
    WIDE,
    async (page) => {
      await focusRow(page, 'B');
      await press(page, 'e');
      await expectTitles(page, ['C', 'A']);
      await press(page, 'z');
      await expectTitles(page, ['C', 'B', 'A']);
    },
    'row B',
  ],
  [
    'dismissing what was done',
    WIDE,
    async (page) => {
      await focusRow(page, 'B');
      await press(page, 'f');
      await click(page, 'Dismiss');
    },
    'row B',
  ],
  [
    'undo with the details on a phone',
    NARROW,
    async (page) => {
      await openRow(page, 'B');
      await press(page, 'f');
      await click(page, 'Undo');
    },
    'h2 B',
  ],
  ['deleting with the keyboard', WIDE, async (page) => (await focusRow(page, 'B'), press(page, '#')), 'row A'],
  [
    'deleting with the button',
    WIDE,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Delete');
      await expectTitles(page, ['C', 'A']);
    },
    'row A',
  ],
  [
    'deleting on a phone',
    NARROW,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'Delete');
      await expectTitles(page, ['C', 'A']);
    },
    'row A',
  ],
  [
    'deleting the last one',
    WIDE,
    async (page) => {
      await focusRow(page, 'C');
      for (const left of [['B', 'A'], ['A'], []]) {
        await press(page, '#');
        await expectTitles(page, left);
      }
    },
    'list',
  ],
  [
    'archiving with the button of a row',
    WIDE,
    async (page) => {
      await row(page, 'B').hover();
      await click(page, /^Archive: B/);
      await expectTitles(page, ['C', 'A']);
    },
    'row A',
  ],
  [
    'dismissing a notice',
    WIDE,
    async (page) => {
      await page.reload();
      await expectTitles(page, ['C', 'B', 'A']);
      await click(page, 'More');
      await click(page, 'Settings');
      await page.getByRole('dialog').getByLabel('Stay signed in on this device').uncheck();
      await press(page, 'Escape');
      await focusRow(page, 'B');
      await click(page, 'Stay signed in on this device');
    },
    'row B',
  ],
  [
    'dismissing a conflict',
    WIDE,
    async (page, { context, api }) => {
      await page.getByText('Up to date').waitFor();
      await context.setOffline(true);
      await focusRow(page, 'B');
      await press(page, 'f');
      const found = (await api.list()).find(({ title }) => title === 'B')!;
      await api.call('DELETE', `/articles/${String(found.id)}`);
      await context.setOffline(false);
      await page.getByText('was deleted on another device').waitFor();
      await page.locator('.notice').getByRole('button', { name: 'Dismiss' }).click();
    },
    'row A',
  ],
  [
    'saving a deleted article again',
    WIDE,
    async (page, { context, api }) => {
      await page.getByText('Up to date').waitFor();
      await context.setOffline(true);
      await focusRow(page, 'B');
      await press(page, 'f');
      const found = (await api.list()).find(({ title }) => title === 'B')!;
      await api.call('DELETE', `/articles/${String(found.id)}`);
      await context.setOffline(false);
      await click(page, 'Save it again');
      await expectTitles(page, ['C', 'B', 'A']);
    },
    'row A',
  ],
  ['closing the details', WIDE, async (page) => (await openRow(page, 'B'), press(page, 'Escape')), 'row B'],
  [
    'going back on a phone',
    NARROW,
    async (page) => (await openRow(page, 'B'), click(page, 'Back to the list')),
    'row B',
  ],
  ['the back button on a phone', NARROW, async (page) => (await openRow(page, 'B'), page.goBack()), 'row B'],
  ['opening on a phone', NARROW, (page) => openRow(page, 'B'), 'h2 B'],
  ['the next one on a phone', NARROW, async (page) => (await openRow(page, 'B'), press(page, 'j')), 'h2 A'],
  [
    'the next one on a phone, after some time',
    NARROW,
    async (page) => (await openRow(page, 'B'), await expectFocus(page, 'h2 B'), press(page, 'j')),
    'h2 A',
  ],
  ['closing a dialog', WIDE, async (page) => (await openMenu(page, 'Settings'), press(page, 'Escape')), 'button More'],
  [
    'closing a dialog that a key opened',
    WIDE,
    async (page) => (await focusRow(page, 'B'), await press(page, '?', 'Escape')),
    'row B',
  ],
  [
    'closing the menu',
    WIDE,
    async (page) => {
      await openRow(page, 'B');
      await click(page, 'More');
      await press(page, 'Escape');
      await page.getByRole('button', { name: 'Settings' }).waitFor({ state: 'detached' });
      await page.locator('#detail-title', { hasText: 'B' }).waitFor();
    },
    'button More',
  ],
  [
    'syncing, which takes a while',
    WIDE,
    async (page) => {
      await page.getByText('Up to date').waitFor();
      await page.route('**/v2/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await route.continue();
      });
      await page.getByRole('button', { name: 'Sync now' }).focus();
      await press(page, 'Enter');
      await page.waitForTimeout(300);
    },
    'button Sync now',
  ],
  [
    'leaving the search',
    WIDE,
    async (page) => {
      await press(page, '/', 'B');
      await expectTitles(page, ['B']);
      await press(page, 'Escape');
      await expectTitles(page, ['C', 'B', 'A']);
    },
    'row B',
  ],
  [
    'signing out',
    WIDE,
    async (page) => {
      await openMenu(page, 'Sign out');
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByLabel('Name').waitFor();
    },
    'h1 Reading list',
  ],
];

describe('the focus goes to a sensible place after', () => {
  it.each(ACTIONS)('%s', async (_action, options, steps, expected) => {
    const device = await withArticles(options);
    await steps(device.page, device);
    await expectFocus(device.page, expected);
    // It stays there.
    await device.page.waitForTimeout(300);
    expect(await focused(device.page)).toBe(expected);
    await device.close();
  });

  it('signing in by name, also when that is refused first', async () => {
    const { page, close } = await world.device();
    await page.route('**/app/account', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
    await page.getByLabel('Name').fill(someName());
    await page.getByLabel('Password').fill('secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await page.getByText('The service did not accept this.').waitFor();
    await expectFocus(page, 'button Sign in');
    await press(page, 'Enter');
    await page.getByText('Nothing left to read.').waitFor();
    await expectFocus(page, 'list');
    await close();
  });
});

describe('on a phone', () => {
  it('nothing below the details can be reached, and it can be again afterwards', async () => {
    const { page, close } = await withArticles(NARROW);
    expect(await page.locator('main > div').getAttribute('inert')).toBeNull();
    await openRow(page, 'B');
    const reached = new Set<string>();
    for (let at = 0; at < 30; at++) {
      await press(page, 'Tab');
      reached.add(await focused(page));
    }
    expect([...reached].filter((name) => name.startsWith('row '))).toEqual([]);
    expect(reached).toContain('button Rename');
    const session = await page.context().newCDPSession(page);
    const spoken = async () => {
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      return nodes
        .filter(({ ignored, role }) => !ignored && role?.value === 'link')
        .map(({ name }) => String(name?.value));
    };
    expect((await spoken()).filter((name) => name.startsWith('C'))).toEqual([]);
    await click(page, 'Back to the list');
    await expect.poll(async () => (await spoken()).filter((name) => name.startsWith('C'))).toHaveLength(1);
    await openRow(page, 'B');
    // Turned to the side, or made wider, it shows both.
    await page.setViewportSize({ width: 1280, height: 800 });
    await row(page, 'C').locator('.row-main').click();
    await page.locator('#detail-title', { hasText: 'C' }).waitFor();
    await close();
  });

  it('going back and forth between list and details leaves no entries in the history', async () => {
    const { page, close } = await withArticles(NARROW);
    const before = await page.evaluate<number>('history.length');
    for (const title of ['A', 'B', 'C', 'A', 'B']) {
      await openRow(page, title);
      await click(page, 'Back to the list');
      await expectFocus(page, `row ${title}`);
    }
    expect(await page.evaluate<number>('history.length')).toBe(before + 1);
    expect(page.url()).toBe(`${world.url}/app/`);
    await close();
  });

  it('a search shows what it finds, and closes the details', async () => {
    const { page, close } = await withArticles(NARROW);
    await openRow(page, 'A');
    await page.getByLabel('Search', { exact: true }).fill('B');
    await expectTitles(page, ['B']);
    expect(await page.locator('main > div').getAttribute('inert')).toBeNull();
    await press(page, 'Enter');
    await expectFocus(page, 'row B');
    await close();
  });
});

describe('what a search finds', () => {
  it.each(['Enter', 'ArrowDown'])('is reached with %s, and left and walked with the arrow keys', async (key) => {
    const { page, api, close } = await withArticles(WIDE);
    await api.create({ url: 'https://example.com/other', title: 'Other' });
    await expectTitles(page, ['Other', 'C', 'B', 'A']);
    await press(page, '/');
    await page.keyboard.type('example.com/o');
    await expectTitles(page, ['Other']);
    await press(page, key);
    await expectFocus(page, 'row Other');
    await press(page, '/');
    await page.getByLabel('Search', { exact: true }).fill('example');
    await expectTitles(page, ['Other', 'C', 'B', 'A']);
    await press(page, key);
    await expectFocus(page, 'row Other');
    for (const [step, title] of [
      ['ArrowDown', 'C'],
      ['j', 'B'],
      ['ArrowUp', 'C'],
      ['k', 'Other'],
    ] as const) {
      await press(page, step);
      await expectFocus(page, `row ${title}`);
    }
    await press(page, 'Enter');
    await page.locator('#detail-title', { hasText: 'Other' }).waitFor();
    await close();
  });

  it('is reached with Tab', async () => {
    const { page, close } = await withArticles(WIDE);
    await press(page, '/', 'B');
    await expectTitles(page, ['B']);
    for (let at = 0; at < 20 && (await focused(page)) !== 'row B'; at++) await press(page, 'Tab');
    expect(await focused(page)).toBe('row B');
    await close();
  });
});
