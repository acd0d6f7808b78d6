import { describe, expect, it } from 'vitest';
import { type Bookmark, bodyOf } from '../../src/commands/import/files/bookmark.js';
import { BOOKMARK_FORMATS, formatOf } from '../../src/commands/import/files/formats.js';
import { readOwnLines } from '../../src/commands/import/files/own-lines.js';

/** The text in chunks of a size, as a file or a socket gives it. */
function* inChunks(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(format: string, text: string, size = 65_536): Promise<Bookmark[]> {
  const bookmarks: Bookmark[] = [];
  for await (const bookmark of BOOKMARK_FORMATS[format]!(inChunks(text, size))) bookmarks.push(bookmark);
  return bookmarks;
}

const failure = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );

describe.each([1, 7, 65_536])('in chunks of %i characters', (size) => {
  it('Pocket CSV gives each row with the line on which it begins', async () => {
    const text =
      '\uFEFF"title",url,time_added,tags,status\r\n"a\n""b""",https://a/,1600000000,x|y,unread\r\n\r\nc,https://c/,soon,,archive';
    expect(await read('pocket', text, size)).toEqual([
      {
        line: 2,
        url: 'https://a/',
        title: 'a\n"b"',
        addedOn: 1_600_000_000_000,
        isUnread: true,
        isArchived: false,
        leftOut: ['tags'],
      },
      { line: 4, url: 'https://c/', title: 'c', addedOn: undefined, isUnread: false, isArchived: true, leftOut: [] },
    ]);
  });

  it('semicolons separate the fields where they do so in the header', async () => {
    const text =
      '\uFEFF"title";url;time_added;tags;status\na, "b";https://a/?x=1,2;1600000000;;archive\n"c;d";https://c/;;;';
    expect(formatOf(text)).toBe('pocket');
    const bookmarks = await read('pocket', text, size);
    expect(bookmarks.map(({ title, url, isUnread }) => [title, url, isUnread])).toEqual([
      ['a, "b"', 'https://a/?x=1,2', false],
      ['c;d', 'https://c/', true],
    ]);
    const commas = 'URL,Title\nhttps://a/,a;b\n';
    expect((await read('instapaper', commas, size)).map(({ title }) => title)).toEqual(['a;b']);
  });

  it('the web application’s CSV gives each state, and titles without the apostrophe that spreadsheets need', async () => {
    const text = [
      'title,url,time_added,tags,status,favorite,unread,archived',
      "'=1+1,https://a/,1600000000,,archive,true,false,false",
      "''-b,https://b/,1600000000,,archive,false,true,true",
      "'c',https://c/,1600000000,,unread,false,true,false",
    ].join('\r\n');
    const rows = (await read('pocket', text, size)).map(({ title, isUnread, isArchived, isFavorite }) => [
      title,
      [isUnread, isArchived, isFavorite],
    ]);
    expect(rows).toEqual([
      ['=1+1', [false, false, true]],
      ["'-b", [true, true, false]],
      ["'c'", [true, false, false]],
    ]);
    const pockets = text.replace(',favorite,unread,archived', '');
    expect((await read('pocket', pockets, size))[0]).toMatchObject({
      title: "'=1+1",
      isUnread: false,
      isArchived: true,
    });
  });

  it('Instapaper CSV says which folders and tags have no place', async () => {
    const text =
      'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://a/,A,s,Recipes,1,"[""x""]"\nhttps://b/,B,,Starred,,[]\n';
    expect(await read('instapaper', text, size)).toMatchObject([
      { line: 2, excerpt: 's', isUnread: true, isFavorite: false, leftOut: ['tags', 'folder'] },
      { line: 3, isFavorite: true, leftOut: [] },
    ]);
  });

  it('bookmarks are read whatever the quotes, the case and the order of attributes', async () => {
    const text = `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><a add_date=5 HREF='https://a/?x=1&amp;y=2'>Fish &amp; <b>&#8220;Chips&#x201d;</b> \n</A>\n<DD>Some text
<DT><A HREF="https://b/" TAGS="t" TOREAD="0">B<DT><A NAME="x">no link</A><A href=https://c/>C`;
    expect(await read('bookmarks', text, size)).toEqual([
      {
        line: 3,
        url: 'https://a/?x=1&y=2',
        title: 'Fish & “Chips”',
        addedOn: 5000,
        isUnread: true,
        isArchived: false,
        leftOut: ['description'],
      },
      {
        line: 6,
        url: 'https://b/',
        title: 'B',
        addedOn: undefined,
        isUnread: false,
        isArchived: false,
        leftOut: ['tags'],
      },
      { line: 6, url: 'https://c/', title: 'C', addedOn: undefined, isUnread: true, isArchived: false, leftOut: [] },
    ]);
  });

  it('what is below the heading of what was read, in Pocket’s HTML, is read and archived', async () => {
    const text = `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://a/" time_added="5" tags="">A</a></li></ul>
<h1>Read Archive</h1><ul><li><a href="https://b/" time_added="6" tags="">B</a></li></ul>`;
    expect((await read('bookmarks', text, size)).map((one) => [one.url, one.isUnread, one.isArchived])).toEqual([
      ['https://a/', true, false],
      ['https://b/', false, true],
    ]);
  });

  it('own lines name the line that is wrong', async () => {
    const account = JSON.stringify({ account: 'a'.repeat(32), last_modified: 5, purged_until: 0 });
    const all = async (text: string) => {
      for await (const line of readOwnLines(inChunks(text, size))) expect(line).toBeDefined();
    };
    await all(`\uFEFF${account}\r\n\n${account}`);
    expect(await failure(all(`${account}\n\n{"id":`))).toBe('line 3: not JSON');
    expect(await failure(all(`${account}\n5`))).toBe('line 2: not an object');
    expect(await failure(all('{"id":"00000000-0000-4000-8000-000000000000","last_modified":1,"deleted":true}'))).toBe(
      'line 1: the account is missing; is this the whole of a "user export"?',
    );
  });
});

describe('a bad file ends with the line that is wrong', () => {
  it.each([
    ['pocket', 'title,url,time_added\na,b,c\n"never\nclosed', 'line 3: a quoted field that is never closed'],
    ['pocket', 'title,address\na,b', 'line 1: no column has the name "url"'],
    ['instapaper', `url,title\n"${'x'.repeat(17 * 2 ** 20)}"`, 'line 2: too long'],
    ['bookmarks', `<DL>\n<!-- ${'x'.repeat(17 * 2 ** 20)}`, 'line 2: a tag or comment that is never closed'],
    ['bookmarks', `<DL>\n${'<b>'.repeat(300)}`, 'line 2: elements in elements without end'],
  ])('%s %.30j', async (format, text, reason) => {
    expect(await failure(read(format, text))).toBe(reason);
  });

  it('an error of the file itself passes through', async () => {
    function* broken() {
      yield 'url,title\nhttps://a/,A\n';
      throw new Error('the disk is gone');
    }
    const reading = async () => {
      for await (const { url } of BOOKMARK_FORMATS.pocket!(broken())) expect(url).toBe('https://a/');
    };
    expect(await failure(reading())).toBe('the disk is gone');
  });
});

describe('reading a file twice as long takes no more than four times as long', () => {
  const csv = (row: string) => (count: number) => `url,title,time_added\n${row.repeat(count)}`;
  const millisecondsOf = async (format: string, text: string): Promise<number> => {
    const start = performance.now();
    await failure(read(format, text));
    return performance.now() - start;
  };

  it.each<[string, string, number, (count: number) => string]>([
    ['unclosed quotes', 'pocket', 200_000, csv('a""')],
    ['a quoted field', 'instapaper', 12_000_000, (count) => `url,title\nhttps://a/,"${'x'.repeat(count / 2)}"\n`],
    ['commas', 'pocket', 500_000, csv(',')],
    ['an attribute without end', 'bookmarks', 4_000_000, (count) => `<a ${'a'.repeat(count)}`],
    ['attributes', 'bookmarks', 400_000, (count) => `<a ${'a b=c '.repeat(count)}`],
    ['links in links', 'bookmarks', 200_000, (count) => '<a href=x>'.repeat(count)],
    ['closed and never opened', 'bookmarks', 400_000, (count) => `${'<b>'.repeat(200)}${'</i>'.repeat(count)}`],
    ['entities', 'bookmarks', 400_000, (count) => `<a href=x>${'&amp'.repeat(count)}`],
  ])('%s in %s', async (_what, format, count, text) => {
    await millisecondsOf(format, text(count / 4));
    const [half, whole] = [await millisecondsOf(format, text(count / 2)), await millisecondsOf(format, text(count))];
    expect(whole).toBeLessThan(4 * half + 500);
  });
});

it.each([
  ['{"account":', 'lines'],
  ['\uFEFF  <!DOCTYPE', 'bookmarks'],
  ['URL,Title,Selection', 'instapaper'],
  ['"url","title"', 'instapaper'],
  ['title,url,time_added,tags\nurl,', 'pocket'],
  ['hello', undefined],
])('a file that begins with %j has the format %s', (beginning, format) => {
  expect(formatOf(beginning)).toBe(format);
});

it.each([
  ['', 'https://a/', 'https://a/'],
  [' ', 'https://a/', 'https://a/'],
  ['😀'.repeat(1025), 'https://a/', '😀'.repeat(1024)],
  ['x'.repeat(5_000_000), 'https://a/', 'x'.repeat(1024)],
])('a title of %.10j is sent as one that fits', (title, url, sent) => {
  expect(bodyOf({ line: 1, url, title, isUnread: true, leftOut: [] }, 'me').title).toBe(sent);
});
