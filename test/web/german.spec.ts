import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { apiOf, type Device, signInByName, someName, useWorld } from './device.js';

const world = useWorld();

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle '.repeat(4);

/** A German device on the list of an account. */
async function germanDevice(name: string, viewport = { width: 1280, height: 800 }): Promise<Device> {
  const device = await world.device({ locale: 'de-DE', viewport });
  await device.page.getByLabel('Name').fill(name);
  await device.page.getByLabel('Auf diesem Gerät angemeldet bleiben').check();
  await device.page.getByLabel('Passwort').fill('secret');
  await device.page.keyboard.press('Enter');
  await device.page.getByRole('button', { name: 'Artikel speichern' }).waitFor();
  return device;
}
const openSettings = async (page: Page) => {
  await page.getByRole('button', { name: 'Mehr' }).click();
  await page.getByRole('button', { name: 'Einstellungen' }).click();
};
const choose = (page: Page, text: string) =>
  page.locator('input[type=file]').setInputFiles({ name: 'file', mimeType: '', buffer: Buffer.from(text) });

const ACCOUNT = JSON.stringify({ account: '0'.repeat(32) });

describe('the German page gives reasons in German', () => {
  it.each([
    ['title,url,time_added\nA,javascript:alert(1),1', 'ein Skript (Bookmarklet), keine Seite'],
    ['title,url,time_added\nA,https://example.com/ a,1', 'Adresse: keine vollständige Adresse'],
    ['title,url,time_added\nA,,1', 'keine Adresse'],
    [`title,url,time_added\nA,https://example.com/${'a'.repeat(2100)},1`, 'Adresse: zu lang'],
  ])('for an entry that cannot be imported: %#', async (text, reason) => {
    const { page, close } = await germanDevice(someName());
    await openSettings(page);
    await choose(page, text);
    const start = page.getByRole('button', { name: '1 Artikel importieren' });
    await start.or(page.getByText('In dieser Datei ist nichts Neues.')).waitFor();
    if (await start.count()) await start.click();
    await page.getByText('Abgelehnt: 1').click();
    expect(await page.locator('.refused li').textContent()).toContain(`(${reason})`);
    await close();
  });

  it.each([
    ['title,url,time_added\nA,https://example.com/a,1\n"offen', 'Zeile 3: ein Anführungszeichen ohne Ende'],
    [`${ACCOUNT}\n5`, 'Zeile 2: kein gültiger Wert'],
    [`${ACCOUNT}\n{"x`, 'Zeile 2: kein JSON'],
  ])('for a file that cannot be read: %#', async (text, reason) => {
    const { page, close } = await germanDevice(someName());
    await openSettings(page);
    await choose(page, text);
    await page.getByText(`Die Datei lässt sich nicht weiter lesen: ${reason}.`).waitFor();
    await close();
  });

  it('for a file of which nothing can be read, and for the rest of one in an archive, whatever their names', async () => {
    const { page, close } = await germanDevice(someName());
    await openSettings(page);
    await choose(page, 'url,username,password\nhttps://example.com/,me,secret');
    await page.getByText('file lässt sich nicht lesen: Passwörter, keine Leseliste.').waitFor();
    await choose(page, `<DL><DT><H3>${'<b>'.repeat(11_000)}`);
    await page.getByText('file lässt sich nicht lesen: Zeile 1: zu viele Elemente ineinander.').waitFor();
    expect(await page.getByText('Was davor steht').count()).toBe(0);
    const csv = 'title,url,time_added\nA,https://example.com/a,1\n"offen';
    const buffer = Buffer.from(zipSync({ 'URL.csv': Buffer.from(csv) }));
    await page.locator('input[type=file]').setInputFiles({ name: 'a.zip', mimeType: '', buffer });
    await page.getByText('nicht weiter lesen: URL.csv: Zeile 3: ein Anführungszeichen ohne Ende.').waitFor();
    await close();
  });

  it('for a file that is not an export, and says what can be read', async () => {
    const { page, close } = await germanDevice(someName());
    await openSettings(page);
    await choose(page, '{"id":1}');
    await page.getByText('Das ist kein Export, der gelesen werden kann. Gelesen werden: Leseliste, ').waitFor();
    await close();
  });

  it('for a change that the service refuses, also for a reason that nobody knows', async () => {
    const name = someName();
    await apiOf(world.url, name).create({ url: 'https://example.com/a', title: 'A' });
    const { page, context, close } = await germanDevice(name);
    await page.locator('.row-main').waitFor();
    for (const [message, reason] of [
      ['title: longer than 1024 characters', 'Titel: zu lang'],
      ['The limit of 100000 articles is reached; delete some first', 'die Liste ist voll, lösche zuerst etwas'],
      ['something that nobody thought of', 'unbekannter Grund'],
    ] as const) {
      await context.route('**/v2/articles/*', (route) =>
        route.request().method() === 'PATCH'
          ? route.fulfill({ status: 400, json: { code: 400, errno: 109, message } })
          : route.continue(),
      );
      await page.locator('.row-main').click();
      await page.getByRole('button', { name: 'Umbenennen' }).click();
      await page.getByLabel('Titel', { exact: true }).fill(`Neu: ${reason}`);
      await page.keyboard.press('Enter');
      await page.getByText(`nicht angenommen: ${reason}.`).waitFor();
      await context.unroute('**/v2/articles/*');
    }
    expect(await page.locator('.notices').textContent()).not.toContain('longer');
    await close();
  });
});

/** What is wider than its place, of the page itself or of an element whose contents would be cut. */
const cut = (page: Page) =>
  page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
    .filter((element) => element === document.documentElement || getComputedStyle(element).overflowX !== 'visible')
    .filter((element) => !element.closest('.row-facts, .row-title, .row-actions, .visually-hidden') && element.localName !== 'input')
    .map((element) => element.localName + '.' + element.className + ' ' + element.textContent.slice(0, 40))`);
/** What is beside the window, though it is shown. */
const outside = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, a, input, select, summary, h1, h2, h3, p, label')]
    .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden, .skip-link, .row'))
    .filter((element) => { const { left, right } = element.getBoundingClientRect(); return left < -0.5 || right > innerWidth + 0.5; })
    .map((element) => element.localName + ' ' + element.textContent.slice(0, 40))`);
/** Lists of options too narrow for the longest one, and names of views that are broken within a word. */
const squeezed = (page: Page) =>
  page.evaluate<string[]>(`[
    ...[...document.querySelectorAll('.order')].filter((select) => {
      const copy = select.cloneNode(true);
      copy.style.cssText = 'position: absolute; max-inline-size: none';
      select.after(copy);
      const isNarrow = select.offsetWidth < copy.offsetWidth;
      copy.remove();
      return isNarrow;
    }),
    ...[...document.querySelectorAll('nav a > span')].filter((name) => name.offsetHeight > 24),
  ].map((element) => element.localName + ' ' + element.textContent)`);
const isWhole = async (page: Page, view: string) =>
  expect([view, await cut(page), await outside(page), await squeezed(page)]).toEqual([view, [], [], []]);

describe.each([
  ['320 pixels', 320],
  ['390 pixels', 390],
])('in a window of %s', (_name, width) => {
  it('nothing of the German page is cut or scrolls to the side', async () => {
    const name = someName();
    const api = apiOf(world.url, name);
    const fields = { word_count: 12_000, read_position: 300, excerpt: LONG, added_by: LONG.slice(0, 200) };
    await api.create({ url: `https://example.com/${'a'.repeat(300)}`, title: LONG, favorite: true, ...fields });
    await api.create({ url: 'https://example.com/b', title: 'Archiviert', archived: true, unread: false });
    await api.create({ url: 'ftp://example.com/c', title: 'مقال طويل عن القراءة', read_position: 120 });
    const viewport = { width, height: 640 };
    const signedOut = await world.device({ locale: 'de-DE', viewport });
    await signedOut.page.getByText('Mit einem persönlichen Token anmelden').click();
    await isWhole(signedOut.page, 'signing in');
    await signedOut.close();

    const { page, context, close } = await germanDevice(name, viewport);
    for (const view of ['unread', 'favorites', 'archive', 'all']) {
      await page.locator(`nav a[href="#/${view}"]`).click();
      await page.locator('.row-main').first().waitFor();
      await isWhole(page, view);
    }
    await page
      .locator('.row', { hasText: LONG.slice(0, 30) })
      .locator('.row-main')
      .click();
    await page.locator('.detail').waitFor();
    await isWhole(page, 'details');
    await page.getByRole('button', { name: 'Umbenennen' }).click();
    await isWhole(page, 'renaming');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Archivieren' }).click();
    await page.getByRole('button', { name: 'Rückgängig' }).waitFor();
    await isWhole(page, 'what was done');
    expect(
      await page.evaluate(`{
        const { scrollHeight, clientHeight } = document.querySelector('.toast p');
        scrollHeight - clientHeight;
      }`),
    ).toBeLessThanOrEqual(1);
    expect(
      await page.evaluate(`document.querySelector('.order').offsetTop - document.querySelector('.search').offsetTop`),
    ).toBe(0);
    await page.getByRole('button', { name: 'Zurück zur Liste' }).click();
    for (const [entry, view] of [
      ['Einstellungen', 'settings'],
      ['Tastenkürzel', 'shortcuts'],
      ['Abmelden', 'signing out'],
    ] as const) {
      await page.getByRole('button', { name: 'Mehr' }).click();
      await isWhole(page, 'the menu');
      await page.getByRole('button', { name: entry }).click();
      await page.getByRole('dialog').waitFor();
      await isWhole(page, view);
      if (view === 'settings') {
        await choose(page, `title,url,time_added\n${LONG},https://example.com/${'b'.repeat(200)},1\nB,nichts,1`);
        await page.getByText('Abgelehnt: 1').click();
        await isWhole(page, 'the preview of an import');
      }
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Artikel speichern' }).click();
    await page.getByLabel('Adresse').fill('nichts');
    await page.keyboard.press('Enter');
    await page.getByText('Das ist keine Adresse einer Webseite').waitFor();
    await isWhole(page, 'saving');
    await page.keyboard.press('Escape');
    await context.route('**/v2/**', (route) =>
      route.fulfill({ status: 401, json: { code: 401, errno: 105, message: 'no' } }),
    );
    await page.getByRole('button', { name: 'Jetzt abgleichen' }).click();
    await page.getByText('Deine Anmeldung gilt nicht mehr.').waitFor();
    await isWhole(page, 'signed out by the service');
    await close();
  });
});

it.each([
  ['en-GB', 'en', '1 Feb 2024'],
  ['en-US', 'en', 'Feb 1, 2024'],
  ['de-AT', 'de', '1. Feb. 2024'],
  ['fr-FR', 'en', 'Feb 1, 2024'],
])(
  'a date is written as in the country of the browser, in the language of the page: %s',
  async (locale, language, date) => {
    const name = someName();
    const added_on = Date.UTC(2024, 1, 1, 12);
    await apiOf(world.url, name).create({ url: 'https://example.com/a', title: 'A', added_on });
    const { page, problems, close } = await world.device({ locale });
    await page.locator('[autocomplete=username]').fill(name);
    await page.locator('[autocomplete=current-password]').fill('secret');
    await page.keyboard.press('Enter');
    await page.locator('.row-facts', { hasText: '2024' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    expect(await page.locator('.row-facts').textContent()).toContain(date);
    expect(problems).toEqual([]);
    await close();
  },
);

it.each([390, 1280])(
  'the sentence of what was done flows around a long title, and ends in sight, in a window of %i pixels',
  async (width) => {
    const name = someName();
    const api = apiOf(world.url, name);
    const all = [LONG, 'وعنوان آخر طويل جدا عن القراءة '.repeat(10), 'Some rather long title, '.repeat(20)];
    for (const [at, title] of all.entries()) await api.create({ url: `https://example.com/${at}`, title });
    const { page, close } = await world.device({ viewport: { width, height: 640 } });
    await signInByName(page, name);
    for (const title of all) {
      await page
        .locator('.row-main', { hasText: title.slice(0, 20) })
        .first()
        .focus();
      await page.keyboard.press('f');
      const sentence = new RegExp(`^Added “${title.slice(0, 20)}.*[^ ,]…” to favourites$`, 'u');
      await expect.poll(() => page.locator('.toast p').textContent()).toMatch(sentence);
      const { tops, hidden } = await page.evaluate<{ tops: number[]; hidden: number }>(`{
        const p = document.querySelector('.toast p');
        const tops = [...p.querySelector('span').childNodes].map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getClientRects()[0].top;
        });
        ({ tops, hidden: p.scrollHeight - p.clientHeight });
      }`);
      // A word longer than a line begins on the next one.
      if (title !== LONG) expect(tops[1]! - tops[0]!).toBeLessThan(5);
      expect(hidden).toBeLessThanOrEqual(1);
    }
    await close();
  },
);

it('titles from right to left leave the words beside them where they are', async () => {
  const name = someName();
  const TITLE = 'مقال عن القراءة';
  const LONG_RTL = 'وعنوان آخر طويل جدا عن القراءة '.repeat(10);
  const api = apiOf(world.url, name);
  for (const title of [LONG, LONG_RTL, TITLE]) await api.create({ url: `https://example.com/${title.length}`, title });
  const { page, close } = await world.device();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill('secret');
  await page.keyboard.press('Enter');
  await page.locator('.row-main').nth(2).waitFor();
  /** Where the text of a node begins and ends, from left to right. */
  const places = (selector: string) =>
    page.evaluate<
      [string, number][]
    >(`[...document.querySelector(${JSON.stringify(selector)}).childNodes].flatMap((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return node.textContent.trim() === '' ? [] : [[node.textContent, range.getBoundingClientRect().left]];
    })`);
  await page.locator('.row-main').first().focus();
  await page.keyboard.press('f');
  await page.getByText('to favourites').waitFor();
  const toast = await places('.toast p > span');
  expect(toast.map(([text]) => text)).toEqual(['Added “', TITLE, '” to favourites']);
  expect(toast.map(([, left]) => left)).toEqual(toast.map(([, left]) => left).sort((a, b) => a - b));
  // The buttons of the row stay at its end, the facts at its beginning, and neither covers the title.
  const box = async (selector: string) => (await page.locator(selector).boundingBox())!;
  const end = ({ x, width }: { x: number; width: number }) => x + width;
  for (const direction of ['ltr', 'rtl']) {
    await page.evaluate(`document.documentElement.dir = '${direction}'`);
    for (const title of [TITLE, LONG_RTL, LONG]) {
      await page
        .locator('.list .row', { hasText: title.slice(0, 15) })
        .last()
        .hover();
      const at = `.list .row:hover`;
      const [line, buttons, facts] = [
        await box(at),
        await box(`${at} .row-actions`),
        await box(`${at} .row-facts .site`),
      ];
      expect(direction === 'ltr' ? end(line) - end(buttons) : buttons.x - line.x).toBeCloseTo(0, 0);
      expect(direction === 'ltr' ? facts.x - line.x : end(line) - end(facts)).toBeLessThan(40);
    }
    const covered = await page.evaluate<string[]>(`[...document.querySelectorAll('.list .row')].flatMap((row) => {
      const title = row.querySelector('.row-title');
      if (getComputedStyle(title).direction === document.documentElement.dir) return [];
      const buttons = row.querySelector('.row-actions').getBoundingClientRect();
      const reach = document.documentElement.dir === 'ltr' ? [buttons.right - 130, buttons.right] : [buttons.left, buttons.left + 130];
      const range = document.createRange();
      range.selectNodeContents(title);
      const { left, right } = range.getBoundingClientRect();
      return right > reach[0] && left < reach[1] ? [title.textContent] : [];
    })`);
    expect(covered).toEqual([]);
  }
  expect(await page.evaluate(`getComputedStyle(document.querySelector('.list .row-title')).direction`)).toBe('rtl');
  await close();
});
