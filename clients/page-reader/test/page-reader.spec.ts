import { describe, expect, it } from 'vitest';
import { readDownload } from '../src/node/index.js';
import { PAGES } from './pages.js';

const nearly = (count: number | null, words: number) => Math.abs(count! - words) <= 0.02 * words;

describe('a saved page', () => {
  it.each(PAGES)('$name is "$title"', ({ title, words, begins = '', preview = null, resolved_url, ...download }) => {
    const facts = readDownload(download);
    expect(facts).toMatchObject({
      title,
      is_article: words !== undefined,
      preview,
      resolved_url: resolved_url ?? download.url,
    });
    expect(facts.excerpt.slice(0, begins.length)).toBe(begins);
    if (words === undefined) expect(facts).toMatchObject({ excerpt: '', word_count: null });
    // Far off only where the text or the words of the language are a matter of opinion.
    else expect(Math.abs(facts.word_count! - words)).toBeLessThan(0.15 * words);
  });

  it('has as many words as were counted by hand, within 2 % on 95 % of the articles', () => {
    const articles = PAGES.filter(({ words }) => words !== undefined);
    const off = articles.filter((page) => !nearly(readDownload(page).word_count, page.words!));
    expect(articles.length).toBeGreaterThan(40);
    expect(off.length / articles.length, off.map(({ name }) => name).join()).toBeLessThanOrEqual(0.05);
  });
});

const read = (html: string, url = 'https://site.example/a/b') =>
  readDownload({ bytes: Buffer.from(html), contentType: 'text/html; charset=utf-8', url });

const sentence = 'The tide comes in twice a day and nobody has ever thanked it for that.';
const article = (head: string, body = '') =>
  `<!doctype html><head>${head}</head><article>${`<p>${sentence} ${sentence}</p>`.repeat(8)}${body}</article>`;

describe('the title', () => {
  it.each([
    ['<title>Tides | The Site</title><meta property=og:site_name content="The Site">', 'Tides'],
    ['<title>The Site: Tides</title><meta name=application-name content="The Site">', 'Tides'],
    ['<title>The Site</title><meta property=og:site_name content="The Site">', 'The Site'],
    ['<title>Tides</title><meta property=og:title content="  Tides \n and   silt ">', 'Tides and silt'],
    [
      '<title>Tides</title><meta name=twitter:title content="Twice a day"><meta property=og:title content="">',
      'Twice a day',
    ],
    ['<title> </title>', 'b'],
    ['<title>A &amp; B &lt;i&gt;</title>', 'A & B <i>'],
  ])('of %s', (head, title) => expect(read(article(head)).title).toBe(title));

  it('has at most 1,024 characters', () =>
    expect(read(article(`<title>${'😀'.repeat(2000)}</title>`)).title).toBe('😀'.repeat(1024)));

  it.each([
    ['https://site.example/', 'site.example'],
    ['https://site.example/a/T%C3%A9.jpg?x#y', 'Té.jpg'],
    ['https://site.example/%E9.jpg', '%E9.jpg'],
  ])('of a picture at %s', (url, title) =>
    expect(readDownload({ bytes: new Uint8Array(9), contentType: 'image/png', url })).toMatchObject({ title }),
  );
});

describe('the canonical URL', () => {
  it.each([
    ['/c', 'https://site.example/c'],
    ['https://www.site.example/c?id=1', 'https://www.site.example/c?id=1'],
    ['https://blog.site.example/c', 'https://blog.site.example/c'],
    ['https://site.example/', undefined],
    ['https://site.example/en', undefined],
    ['https://site.example/index.php', undefined],
    ['https://other.example/c', undefined],
    ['https://notsite.example/c', undefined],
    ['https://example/c', undefined],
    ['javascript:alert(1)', undefined],
    ['https://me:secret@site.example/c', undefined],
    ['http://[', undefined],
    ['', undefined],
  ])('%s', (href, expected) =>
    expect(read(article(`<link rel="canonical" href="${href}">`)).resolved_url).toBe(
      expected ?? 'https://site.example/a/b',
    ),
  );

  it('is not one that is longer than what the service stores', () =>
    expect(read(article(`<link rel="canonical" href="/${'x'.repeat(2100)}">`)).resolved_url).toBe(
      'https://site.example/a/b',
    ));

  it('is the home page of a home page', () =>
    expect(read('<link rel=canonical href=/>', 'https://site.example/?ref=1').resolved_url).toBe(
      'https://site.example/?ref=1',
    ));
});

describe('the excerpt', () => {
  it('has 200 words', () => {
    const { excerpt, word_count } = read(article(''));
    expect(word_count).toBe(8 * 30);
    expect(excerpt.split(/\s+/).length).toBe(200);
    expect(excerpt.startsWith(`${sentence} ${sentence}\n`)).toBe(true);
  });

  it('is bounded where words have no end', () => {
    const { excerpt, word_count } = read(`<article>${`<p>${'x'.repeat(1000)} and so on</p>`.repeat(100)}</article>`);
    expect(word_count).toBe(400);
    expect(excerpt.length).toBe(16_000);
  });
});

describe('a page is read in bounded time', () => {
  const paragraph = `<p>${sentence} ${sentence}</p>`;
  const picture = `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(4_000)}">`;
  it.each([
    ['of 5 MB', article('', `${picture}${paragraph.repeat(20)}`.repeat(100)), 60_240],
    ['of which 5 MB are read', article('', `<!--${' '.repeat(5 * 2 ** 20)}-->${paragraph}`), 240],
    [
      'with one paragraph of 20,000 words',
      article('', paragraph.replaceAll(sentence, `${sentence} `.repeat(666))),
      20_220,
    ],
    ['with 60,000 elements', article('', '<b>x</b>'.repeat(60_000)), null],
    ['with 20,000 nested elements', article('', '<div>'.repeat(20_000)), null],
    ['with 400 nested elements', article('', '<div>'.repeat(400)), 240],
    ['with unclosed tags', article('', '<a '.repeat(100_000)), 240],
    ['with comments that do not end', article('', '<!--'.repeat(100_000)), 240],
  ])('%s', (_, html, words) => {
    const begun = performance.now();
    expect(read(html)).toMatchObject({ title: 'b', is_article: words !== null, word_count: words });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('the title of a PDF', () => {
  const titleOf = (text: string) =>
    readDownload({
      bytes: Buffer.from(text, 'latin1'),
      contentType: 'application/pdf',
      url: 'https://site.example/file.pdf',
    }).title;
  const withInformation = (title: string) =>
    titleOf(`%PDF-1.4\n7 0 obj\n<</Title ${title}>>\nendobj\ntrailer <</Info 7 0 R>>`);

  it.each([
    ['(Tides)', 'Tides'],
    ['(a \\(b\\) (c) \\\\)', 'a (b) (c) \\'],
    ['(\\376\\377\\000T\\000\\351)', 'Té'],
    ['<FEFF00540069>', 'Ti'],
    ['<EFBBBFC3A9>', 'é'],
    ['( )', 'file.pdf'],
    [`(${'x'.repeat(2_000)})`, 'x'.repeat(1_024)],
    ['(never closed', 'file.pdf'],
  ])('in %s', (title, expected) => expect(withInformation(title)).toBe(expected));

  it.each(['(', '\\', '/Info 1 0 R', '1 0 obj'])('is looked for in bounded time in a file full of %s', (text) => {
    const begun = performance.now();
    expect(titleOf(text.repeat(500_000))).toBe('file.pdf');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
