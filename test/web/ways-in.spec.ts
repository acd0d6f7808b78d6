import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readExport } from '../../formats/src/index.js';
import { newArticle } from '../../src/articles/article.js';
import { describeWorlds, type Device, expectTitles, openInstalled, someName } from './device.js';

const openSettings = async ({ page }: Device) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
};

const HARD_HTML = `<DL><p>
<DT><A HREF="https://example.com/?a=1&amp;b=2&copy=3&copyright;&eacute;&#x20ac;#%26amp;" ADD_DATE="1600000000">Caf&eacute; &amp;lt; &#8220;x&#X201D;&#128;</A>
<DT><A HREF='https://example.com/names'>AT&T &ampamp &NotEqualTilde;&fjlig;&semi; &nope; &#; &#0; &copyright &hellip;&nbsp;</A>
<DT><A HREF="https://example.com/markup">&lt;img src=x onerror=alert(1)&gt; <b>in b</b> &LT;script&GT;</A>`;
const HARD_CSV = `\uFEFF"title",url,time_added,tags,status\r
"Żółw 😀, ""quoted""\r
twice",https://example.com/a?ü=%20,1600000000,x|y,archive\r
\r
in"side,https://example.com/b,soon,,unread\r
"a"b,https://example.com/c,1600000001,,unread\r
${'long '.repeat(300)},https://example.com/d,1600000002,,unread`;

const KEPT_BY_CSV = [
  ...(['url', 'title', 'resolved_url', 'excerpt', 'preview', 'word_count', 'read_position'] as const),
  ...(['added_on', 'unread', 'archived', 'favorite'] as const),
];

const WINDOWS_1252: Readonly<Record<string, number>> = { '–': 0x96, œ: 0x9c, '“': 0x93, '”': 0x94 };
const inWindows1252 = (text: string) =>
  Buffer.from([...text].map((character) => WINDOWS_1252[character] ?? character.charCodeAt(0)));

describeWorlds(
  'ways in',
  (world) => {
    it('the browser finds nothing that keeps it from installing the page as an app', async () => {
      const { page, context, close } = await world.deviceOf(someName());
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
      const session = await context.newCDPSession(page);
      const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
      // A profile without a disk is what the tests have.
      expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
      await close();
    });

    it('what a share sheet and the bookmarklet send is saved, even if one has to sign in first', async () => {
      const name = someName();
      const share = new URLSearchParams({
        share_title: 'Shared',
        share_text: 'See https://example.com/shared?a=1&b=2 now',
      });
      const { page, close } = await openInstalled(world.browser, `${world.url}/app/?${share.toString()}`);
      expect(page.url()).toBe(`${world.url}/app/`);
      await page.getByText('“Shared” will be saved as soon as you sign in.').waitFor();
      await world.signIn(page, name);
      await expectTitles(page, ['Shared']);

      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Settings' }).click();
      const href = await page.getByRole('link', { name: 'Save to reading list' }).getAttribute('href');
      const script = decodeURIComponent(href!.replace('javascript:', ''));
      const elsewhere = await page.context().newPage();
      await elsewhere.route('https://elsewhere.test/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<title>Else & where</title>' }),
      );
      await elsewhere.goto('https://elsewhere.test/page?x=1#part');
      const [opened] = await Promise.all([page.context().waitForEvent('page'), elsewhere.evaluate(script)]);
      await opened.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await expectTitles(opened, ['Else & where', 'Shared']);
      expect(opened.url()).not.toContain('elsewhere');
      await expect
        .poll(async () => (await (await world.api(name)).list()).map(({ url }) => url))
        .toEqual(['https://elsewhere.test/page?x=1#part', 'https://example.com/shared?a=1&b=2']);
      await close();
    });

    it('imports 150 lines of a CSV file: says before what will happen, and afterwards what did', async () => {
      const name = someName();
      const device = await world.deviceOf(name);
      const { page, problems, close } = device;
      await (await world.api(name)).create({ url: 'https://example.com/17', title: 'Known' });
      await expectTitles(page, ['Known']);
      const lines = Array.from({ length: 150 }, (_, at) =>
        at % 30 === 29
          ? `No address ${at},javascript:alert(${at}),1600000000,,unread`
          : `"Article ""${at}""",https://example.com/${at},${1600000000 + at},,unread`,
      );
      const csv = ['title,url,time_added,tags,status', ...lines].join('\n');
      await openSettings(device);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'pocket.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
      await page.getByText('Pocket: 150 entries').waitFor();
      expect(await page.locator('.numbers dd').allTextContents()).toEqual(['144', '1', '5']);
      await page.getByRole('button', { name: 'Import 144 articles' }).click();
      await page.getByText('Import finished').waitFor({ timeout: 80_000 });
      const { headers } = await (await world.api(name)).call('GET', '/articles?_limit=1');
      expect(headers.get('Total-Records')).toBe('145');
      expect(await page.locator('.numbers dd').allTextContents()).toEqual(['144', '1', '5']);
      await page.getByText('Refused: 5').click();
      await page.getByText('Line 31: javascript:alert(29) (a script (bookmarklet), not a page)').waitFor();
      expect(problems).toEqual([]);
      await close();
    });
  },
  (world) => {
    it.each([
      [{ share_text: 'Read this: https://example.com/a, now!' }, 'https://example.com/a'],
      [{ share_text: '“Quoted” (see https://example.com/a).' }, 'https://example.com/a'],
      [{ share_text: 'https://example.com/A_(letter)' }, 'https://example.com/A_(letter)'],
      [{ share_url: 'https://example.com/a.', share_text: 'A.' }, 'https://example.com/a.'],
    ])('of a text that is shared the URL is saved without the marks after it: %j', async (share, url) => {
      const name = someName();
      const path = new URLSearchParams(share).toString();
      const { page, close } = await openInstalled(world.browser, `${world.url}/app/?${path}`);
      await world.signIn(page, name);
      await expect.poll(async () => (await (await world.api(name)).list()).map((one) => one.url)).toEqual([url]);
      await close();
    });

    it.each([
      ['bookmarks', HARD_HTML, 3],
      ['pocket', HARD_CSV, 4],
      ['instapaper', readFileSync('test/operations/samples/instapaper.csv', 'utf8'), 3],
    ])('reads a file as the command does: %s', async (format, text, count) => {
      const contents = readExport(Buffer.from(text));
      expect(contents.format).toBe(format);
      const expected = contents.entries.map(({ fields }) => {
        const { url, title, archived } = newArticle({ ...fields, added_by: 'import' }, randomUUID(), Date.now());
        return [url, title, archived];
      });
      expect(expected).toHaveLength(count);

      const name = someName();
      const device = await world.deviceOf(name);
      const { page, problems, close } = device;
      await openSettings(device);
      await page.locator('input[type=file]').setInputFiles({ name: 'file', mimeType: '', buffer: Buffer.from(text) });
      await page.getByRole('button', { name: `Import ${count} articles` }).click();
      await page.getByText('Import finished').waitFor();
      const imported = async () =>
        (await (await world.api(name)).list()).map(({ url, title, archived }) => [url, title, archived]);
      await expect.poll(async () => (await imported()).sort()).toEqual(expected.sort());
      expect(problems).toEqual([]);
      await close();
    });

    const WESTERN = 'title;url;time_added\nGrün – œuvre “x”;https://example.com/a;1600000000\n';
    it.each([
      ['UTF-16', Buffer.from(WESTERN, 'utf16le')],
      ['the encoding of Western Windows', inWindows1252(WESTERN)],
    ])('reads a title in %s', async (_encoding, buffer) => {
      const device = await world.deviceOf(someName());
      const { page, close } = device;
      await openSettings(device);
      await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
      await page.locator('.sample li').first().waitFor();
      expect(await page.locator('.sample li').allTextContents()).toContain('Grün – œuvre “x”');
      await close();
    });

    it('several files and archives are imported at once, and what is not one of them is named', async () => {
      const name = someName();
      const device = await world.deviceOf(name);
      const { page, problems, close } = device;
      const csv = (at: number) => `title,url,time_added\nA${at},https://example.com/${at},160000000${at}\n`;
      const zip = zipSync({ 'part_000000.csv': strToU8(csv(1)), 'part_000001.csv': strToU8(csv(2)) });
      const goodlinks = [{ url: 'https://example.com/3', title: 'G', addedAt: 0, starred: true, tags: ['x'] }];
      await openSettings(device);
      await page.locator('input[type=file]').setInputFiles([
        { name: 'pocket.zip', mimeType: '', buffer: Buffer.from(zip) },
        { name: 'goodlinks.json', mimeType: '', buffer: Buffer.from(JSON.stringify(goodlinks)) },
        { name: 'bookmarks.html', mimeType: '', buffer: Buffer.from('<DL><DT><A HREF="chrome://flags">F</A></DL>') },
        { name: 'notes.txt', mimeType: '', buffer: Buffer.from('hello') },
      ]);
      await page.getByText('Pocket, GoodLinks (JSON), Bookmarks: 4 entries').waitFor();
      await page.getByText('Not read, as it is not an export: notes.txt.').waitFor();
      await page.getByText('Left out, as articles have no fields for them: tags of 1 entry.').waitFor();
      await page.getByText('1 entry has no readable date').waitFor();
      await page.getByText('Refused: 1').click();
      await page.getByText('bookmarks.html: Line 1: chrome://flags (a page of the browser itself)').waitFor();
      await page.getByRole('button', { name: 'Import 3 articles' }).click();
      await page.getByText('Import finished').waitFor();
      const stored = async () => (await (await world.api(name)).list()).map(({ title, favorite }) => [title, favorite]);
      expect((await stored()).sort()).toEqual([
        ['A1', false],
        ['A2', false],
        ['G', true],
      ]);
      expect(problems).toEqual([]);
      await close();
    });

    it('an import is finished only when everything has been sent', async () => {
      const name = someName();
      const device = await world.deviceOf(name);
      const { page, context, close } = device;
      await openSettings(device);
      await context.setOffline(true);
      const buffer = Buffer.from(Array.from({ length: 100 }, (_, at) => `https://example.com/${at}`).join('\n'));
      await page.locator('input[type=file]').setInputFiles({ name: 'a.txt', mimeType: '', buffer });
      await page.getByRole('button', { name: 'Import 100 articles' }).click();
      await page.getByText('0 of 100 sent').waitFor();
      await page.getByText('Closing this page only pauses the sending').waitFor();
      await page.getByText('articles are sent one by one').waitFor();
      expect(await page.getByText('Import finished').count()).toBe(0);
      await context.route('**/v2/batch', async (route) => {
        await sleep(300);
        await route.continue();
      });
      await context.setOffline(false);
      await page.getByText(/^\d+ of 100 sent, .* left$/).waitFor();
      await page.getByText('Import finished').waitFor({ timeout: 60_000 });
      const { headers } = await (await world.api(name)).call('GET', '/articles?_limit=1');
      expect(headers.get('Total-Records')).toBe('100');
      await close();
    });

    it('what comes before an error in a file can be imported', async () => {
      const device = await world.deviceOf(someName());
      const { page, close } = device;
      await openSettings(device);
      const csv = 'title,url,time_added\nA,https://example.com/a,1600000000\n"never,closed';
      await page.locator('input[type=file]').setInputFiles({ name: 'file', mimeType: '', buffer: Buffer.from(csv) });
      await page.getByText('line 3: a quoted field that is never closed').waitFor();
      await page.getByRole('button', { name: 'Import 1 article', exact: true }).click();
      await page.getByText('Import finished').waitFor();
      await close();
    });

    it('of several files, those that cannot be read are named, and the others imported', async () => {
      const device = await world.deviceOf(someName());
      const { page, close } = device;
      await openSettings(device);
      const csv = 'title,url,time_added\nA,https://example.com/a,1600000000\n';
      const files = { 'a.csv': csv, 'b.csv': `${csv}"never,closed`, 'c.csv': 'url,username,password\n', 'd.csv': 'x' };
      await page
        .locator('input[type=file]')
        .setInputFiles(
          Object.entries(files).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })),
        );
      await page.getByText('c.csv cannot be read: these are passwords, not a reading list.').waitFor();
      await page.getByText('b.csv: Line 3: a quoted field that is never closed').waitFor();
      await page.getByText('Not read, as it is not an export: d.csv.').waitFor();
      await page.getByRole('button', { name: 'Import 1 article', exact: true }).click();
      await page.getByText('Import finished').waitFor();
      await close();
    });

    it('a CSV file brings every article back as it was, to another list', async () => {
      const [mine, other] = [someName(), someName()];
      const api = await world.api(mine);
      const states = [true, false].flatMap((unread) =>
        [true, false].flatMap((archived) => [true, false].map((favorite) => ({ unread, archived, favorite }))),
      );
      const titles = ['=1+1', "'=quoted", '-dash', '@at', 'a, "b"', 'مقال', "'c'", '+'];
      for (const [at, state] of states.entries())
        await api.create({
          url: `https://example.com/${at}`,
          title: titles[at],
          added_on: 1_600_000_000_000 + at * 1000,
          excerpt: `${titles[at]}, "quoted"\nand more`,
          preview: `https://example.com/${at}.png`,
          resolved_url: `https://www.example.com/${at}`,
          word_count: 100 + at,
          read_position: at,
          ...state,
        });
      const one = await world.deviceOf(mine);
      await one.page.getByRole('link', { name: 'All 8' }).waitFor();
      await openSettings(one);
      const [file] = await Promise.all([
        one.page.waitForEvent('download'),
        one.page.getByRole('button', { name: 'CSV', exact: true }).click(),
      ]);
      const buffer = readFileSync(await file.path());
      const two = await world.deviceOf(other);
      await openSettings(two);
      await two.page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
      await two.page.getByRole('button', { name: 'Import 8 articles' }).click();
      await two.page.getByText('Import finished').waitFor();
      const contents = async (name: string) =>
        (await (await world.api(name)).list()).map((article) => KEPT_BY_CSV.map((field) => article[field]));
      await expect.poll(() => contents(other)).toEqual(await contents(mine));
      await Promise.all([one.close(), two.close()]);
    });

    it('an article without a title has its URL as title in another list, which a resolver replaces', async () => {
      const [mine, other] = [someName(), someName()];
      const url = 'https://www.example.com/bare';
      await (await world.api(mine)).create({ url, title: null });
      const one = await world.deviceOf(mine);
      await one.page.getByRole('link', { name: 'All 1' }).waitFor();
      await openSettings(one);
      const two = await world.deviceOf(other);
      await openSettings(two);
      for (const format of ['CSV', 'Bookmarks (HTML)']) {
        const [file] = await Promise.all([
          one.page.waitForEvent('download'),
          one.page.getByRole('button', { name: format, exact: true }).click(),
        ]);
        const buffer = readFileSync(await file.path());
        await two.page.locator('input[type=file]').setInputFiles({ name: 'a', mimeType: '', buffer });
        await two.page.getByRole('button', { name: 'Import 1 article', exact: true }).waitFor();
        expect(await two.page.locator('.sample li').allTextContents()).toEqual([url]);
        await two.page.getByRole('button', { name: 'Cancel' }).click();
      }
      await Promise.all([one.close(), two.close()]);
    });

    it('an import that is running goes on when its dialog is to be closed, which says why', async () => {
      const name = someName();
      const device = await world.deviceOf(name);
      const { page, context, close } = device;
      const lines = Array.from({ length: 100 }, (_, at) => `Article ${at},https://example.com/${at},1600000000`);
      const buffer = Buffer.from(['title,url,time_added', ...lines].join('\n'));
      await openSettings(device);
      await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
      const start = page.getByRole('button', { name: 'Import 100 articles' });
      // The part that reads files is loaded on demand.
      await start.waitFor();
      // It cannot finish before the dialog is to be closed.
      await context.setOffline(true);
      await start.click();
      await page.getByRole('progressbar').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('The import is still running.').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await context.setOffline(false);
      await page.getByText('Import finished').waitFor({ timeout: 60_000 });
      expect(await page.getByText('The import is still running.').count()).toBe(0);
      expect((await page.locator('.numbers dd').allTextContents())[0]).toBe('100');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await close();
    });

    it('a dialog stays open when no file is chosen after all', async () => {
      const device = await world.deviceOf(someName());
      const { page, close } = device;
      await openSettings(device);
      await page.locator('input[type=file]').dispatchEvent('cancel', { bubbles: true });
      await page.waitForTimeout(300);
      expect(await page.getByRole('dialog').count()).toBe(1);
      await close();
    });

    it('what is exported can be imported again, in each format', async () => {
      const device = await world.deviceOf(someName());
      const { page, close } = device;
      const html = readFileSync('test/operations/samples/bookmarks.netscape');
      await openSettings(device);
      const choose = (name: string, buffer: Buffer) =>
        page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer });
      await choose('bookmarks.html', html);
      await page.getByRole('button', { name: /^Import \d+ article/ }).click();
      await page.getByText('Import finished').waitFor();
      for (const format of ['JSON lines (complete)', 'CSV', 'Bookmarks (HTML)']) {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: format, exact: true }).click(),
        ]);
        await page.getByRole('button', { name: /Import another file|Cancel/ }).click();
        await choose(file.suggestedFilename(), readFileSync(await file.path()));
        await page.getByText('There is nothing new in this file.').waitFor();
        expect((await page.locator('.numbers dd').allTextContents())[2]).toBe('0');
      }
      await close();
    });
  },
);
