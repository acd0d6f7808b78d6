import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import {
  type Contents,
  type Entry,
  type EntryFields,
  FORMATS,
  MAX_EXCERPT,
  MAX_TITLE,
  NO_PAGE,
  noPage,
  readExport,
} from '../../formats/src/index.js';
import { MAX_CODE_POINTS } from '../../src/protocol/fields.js';

const read = (text: string, wanted?: string): Contents => readExport(strToU8(text), wanted);

const failure = (text: string, wanted?: string): string => {
  try {
    return read(text, wanted).stoppedAt?.message ?? 'nothing failed';
  } catch (error) {
    return (error as Error).message;
  }
};

/** What differs from an unread article with no other field than a URL. */
function tellingFields({ fields }: Entry): Partial<EntryFields> {
  const plain: Partial<EntryFields> = { archived: false, favorite: false, unread: true };
  const told = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && value !== plain[name as keyof EntryFields],
  );
  return Object.fromEntries(told);
}

const POCKET = 'title,url,time_added,tags,status\n';
const READ = { archived: true, unread: false };

/** Each format as the service writes it: the text, then the fields and what is left out of each entry. */
const SAMPLES: [format: string, text: string, entries: [fields: Partial<EntryFields>, ...leftOut: string[]][]][] = [
  [
    'pocket',
    `${POCKET}"a\n""b""",https://a.example/,1600000000,x|y,unread\r\n\r\nC,https://c.example/,1600000001,,archive\n`,
    [
      [{ url: 'https://a.example/', title: 'a\n"b"', added_on: 1_600_000_000_000 }, 'tags'],
      [{ url: 'https://c.example/', title: 'C', added_on: 1_600_000_001_000, ...READ }],
    ],
  ],
  [
    'instapaper',
    'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://a.example/,A,s,Recipes,1500000000,"[""x""]"\nhttps://b.example/,B,,Starred,1500000001,[]\nhttps://c.example/,C,,Archive,1500000002,[]\n',
    [
      [{ url: 'https://a.example/', title: 'A', excerpt: 's', added_on: 1_500_000_000_000 }, 'tags', 'folder'],
      [{ url: 'https://b.example/', title: 'B', favorite: true, added_on: 1_500_000_001_000 }],
      [{ url: 'https://c.example/', title: 'C', added_on: 1_500_000_002_000, ...READ }],
    ],
  ],
  [
    'raindrop',
    `id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
1,A,,About a,https://a.example/,Unsorted,,2023-04-05T06:07:08.123Z,https://a.example/p.png,,true
2,B,mine,,https://b.example/,Work / Later,"x, y",2023-04-05T06:07:08.000Z,,Highlight:x,false
3,C,mine,theirs,https://c.example/,Unsorted,,2023-04-05T06:07:08.000Z,no picture,,false
`,
    [
      [
        {
          url: 'https://a.example/',
          title: 'A',
          excerpt: 'About a',
          preview: 'https://a.example/p.png',
          favorite: true,
          added_on: 1_680_674_828_123,
        },
      ],
      [
        { url: 'https://b.example/', title: 'B', excerpt: 'mine', added_on: 1_680_674_828_000 },
        'tags',
        'folder',
        'highlights',
      ],
      [
        { url: 'https://c.example/', title: 'C', excerpt: 'theirs', added_on: 1_680_674_828_000 },
        'second description',
        'picture',
      ],
    ],
  ],
  [
    'reader',
    `Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen
A,https://a.example/,01gm,"['x']",2022-11-06 04:33:50+00:00,0,new,True
B,https://b.example/,01gn,[],2022-11-06 06:33:50+02:00,0.25,shortlist,True
C,https://c.example/,01go,[],2022-11-06 04:33:50+00:00,1.0,archive,True
`,
    [
      [{ url: 'https://a.example/', title: 'A', added_on: 1_667_709_230_000 }, 'tags'],
      [{ url: 'https://b.example/', title: 'B', added_on: 1_667_709_230_000 }, 'folder', 'reading progress'],
      [{ url: 'https://c.example/', title: 'C', added_on: 1_667_709_230_000, ...READ }],
    ],
  ],
  [
    'wallabag-csv',
    `Title;URL;Content;Tags;"MIME Type";Language;"Creation date"\nA;https://a.example/;"<p>a; b</p>";x;text/html;en;"05/04/2023 06:07:08"\n`,
    [[{ url: 'https://a.example/', title: 'A', added_on: 1_680_674_828_000 }, 'tags', 'the text of the page']],
  ],
  [
    'wallabag',
    JSON.stringify([
      {
        is_archived: 1,
        is_starred: 1,
        tags: ['x'],
        is_public: false,
        id: 3,
        title: 'A',
        url: 'https://www.a.example/',
        given_url: 'https://a.example/',
        content: '<p>a</p>',
        created_at: '2023-04-05T08:07:08+0200',
        updated_at: '2023-04-05T08:07:08+0200',
        annotations: [],
        language: 'en',
        reading_time: 1,
        preview_picture: 'https://a.example/p.png',
        archived_at: '2023-04-06T08:07:08+0200',
      },
    ]),
    [
      [
        {
          url: 'https://a.example/',
          title: 'A',
          resolved_url: 'https://www.a.example/',
          preview: 'https://a.example/p.png',
          favorite: true,
          added_on: 1_680_674_828_000,
          marked_read_on: 1_680_761_228_000,
          ...READ,
        },
        'tags',
        'the text of the page',
      ],
    ],
  ],
  [
    'pinboard',
    JSON.stringify([
      {
        href: 'https://a.example/',
        description: 'A',
        extended: 'About a',
        meta: 'm',
        hash: 'h',
        time: '2023-04-05T06:07:08Z',
        shared: 'no',
        toread: 'yes',
        tags: 'x y',
      },
      {
        href: 'https://b.example/',
        description: 'B',
        extended: '',
        time: '2023-04-05T06:07:08Z',
        toread: 'no',
        tags: '',
      },
    ]),
    [
      [{ url: 'https://a.example/', title: 'A', excerpt: 'About a', added_on: 1_680_674_828_000 }, 'tags'],
      [{ url: 'https://b.example/', title: 'B', unread: false, added_on: 1_680_674_828_000 }],
    ],
  ],
  [
    'omnivore',
    JSON.stringify([
      {
        id: '1',
        slug: 'a',
        title: 'A',
        description: 'About a',
        author: '',
        url: 'https://a.example/',
        state: 'Active',
        readingProgress: 50,
        wordsCount: 400,
        thumbnail: '',
        labels: ['x'],
        savedAt: '2023-04-05T06:07:08.000Z',
      },
      {
        id: '2',
        slug: 'b',
        title: 'B',
        description: '',
        url: 'https://b.example/',
        state: 'Archived',
        readingProgress: 100,
        labels: [],
        savedAt: '2023-04-05T06:07:08.000Z',
      },
    ]),
    [
      [
        {
          url: 'https://a.example/',
          title: 'A',
          excerpt: 'About a',
          word_count: 400,
          read_position: 200,
          added_on: 1_680_674_828_000,
        },
        'tags',
      ],
      [{ url: 'https://b.example/', title: 'B', added_on: 1_680_674_828_000, ...READ }],
    ],
  ],
  [
    'karakeep',
    JSON.stringify({
      bookmarks: [
        {
          createdAt: 1_680_674_828,
          title: null,
          tags: ['x'],
          lists: ['l'],
          content: { type: 'link', url: 'https://a.example/' },
          note: 'mine',
          archived: true,
        },
        { createdAt: 1_680_674_828, title: 'A note', tags: [], content: { type: 'text', text: 'a' }, note: null },
      ],
      lists: [],
    }),
    [
      [
        {
          url: 'https://a.example/',
          title: 'https://a.example/',
          excerpt: 'mine',
          added_on: 1_680_674_828_000,
          ...READ,
        },
        'tags',
        'folder',
      ],
      [{ url: '', title: 'A note', added_on: 1_680_674_828_000 }, 'other columns'],
    ],
  ],
  [
    'goodlinks',
    JSON.stringify([
      {
        url: 'https://a.example/',
        title: 'A',
        summary: 'About a',
        author: 'x',
        tags: ['x'],
        starred: true,
        addedAt: 1680674828.123,
        readAt: 1680761228,
        wordCount: 300,
        highlights: [{ content: 'h' }],
      },
    ]),
    [
      [
        {
          url: 'https://a.example/',
          title: 'A',
          excerpt: 'About a',
          favorite: true,
          unread: false,
          word_count: 300,
          added_on: 1_680_674_828_123,
          marked_read_on: 1_680_761_228_000,
        },
        'tags',
        'highlights',
        'other columns',
      ],
    ],
  ],
  [
    'firefox',
    JSON.stringify({
      guid: 'root________',
      title: '',
      type: 'text/x-moz-place-container',
      root: 'placesRoot',
      children: [
        {
          guid: 'menu________',
          title: 'menu',
          type: 'text/x-moz-place-container',
          children: [
            {
              guid: 'a',
              title: 'A',
              type: 'text/x-moz-place',
              uri: 'https://a.example/',
              dateAdded: 1_680_674_828_123_456,
              tags: 'x',
            },
            { guid: 's', title: '', type: 'text/x-moz-place-separator' },
            {
              guid: 'f',
              title: 'Folder',
              type: 'text/x-moz-place-container',
              children: [
                {
                  guid: 'b',
                  title: 'B',
                  type: 'text/x-moz-place',
                  uri: 'place:sort=8',
                  dateAdded: 1_680_674_828_000_000,
                },
              ],
            },
            { guid: 'e', title: 'Empty', type: 'text/x-moz-place-container' },
          ],
        },
      ],
    }),
    [
      [{ url: 'https://a.example/', title: 'A', added_on: 1_680_674_828_123 }, 'tags'],
      [{ url: 'place:sort=8', title: 'B', added_on: 1_680_674_828_000 }, 'folder'],
    ],
  ],
  [
    'chrome',
    JSON.stringify({
      checksum: 'x',
      roots: {
        bookmark_bar: {
          type: 'folder',
          name: 'Bar',
          children: [{ type: 'url', name: 'A', url: 'https://a.example/', date_added: '13325148428123456' }],
        },
        other: { type: 'folder', name: 'Other', children: [] },
      },
    }),
    [[{ url: 'https://a.example/', title: 'A', added_on: 1_680_674_828_123 }]],
  ],
  [
    'csv',
    `title,url,time_added,tags,status,favorite,unread,archived,excerpt,preview,word_count,resolved_url,read_position
'=1+1,https://a.example/,1600000000,,archive,true,false,false,"'-x, y",https://a.example/p.png,300,https://www.a.example/,7
''-b,https://b.example/,1600000000,,archive,FAUX,WAHR,TRUE,,,,,
'c',https://c.example/,1600000000,,unread,false,true,false,,,,,
d,https://d.example/,1600000000,,unread,PRAWDA,VERDADEIRO,DOĞRU,,,,,
`,
    [
      [
        {
          url: 'https://a.example/',
          title: '=1+1',
          excerpt: '-x, y',
          preview: 'https://a.example/p.png',
          word_count: 300,
          resolved_url: 'https://www.a.example/',
          read_position: 7,
          favorite: true,
          unread: false,
          added_on: 1_600_000_000_000,
        },
      ],
      [{ url: 'https://b.example/', title: "'-b", archived: true, added_on: 1_600_000_000_000 }],
      [{ url: 'https://c.example/', title: "'c'", added_on: 1_600_000_000_000 }],
      [{ url: 'https://d.example/', title: 'd', favorite: true, archived: true, added_on: 1_600_000_000_000 }],
    ],
  ],
  [
    'table',
    'Name,URL,Comment,Date,Read\nA,https://a.example/,x,2023-04-05,yes\n',
    [[{ url: 'https://a.example/', title: 'A', excerpt: 'x', unread: false, added_on: 1_680_652_800_000 }]],
  ],
  [
    'urls',
    'https://a.example/?x=1,2\n\nhttps://b.example/ | B | b\nchrome://flags\nhttps://c.example/ | \nhttps://d.example/ |\n',
    [
      [{ url: 'https://a.example/?x=1,2', title: 'https://a.example/?x=1,2' }],
      [{ url: 'https://b.example/', title: 'B | b' }],
      [{ url: 'chrome://flags', title: 'chrome://flags' }],
      [{ url: 'https://c.example/', title: 'https://c.example/' }],
      [{ url: 'https://d.example/', title: 'https://d.example/' }],
    ],
  ],
  [
    'bookmarks',
    `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<H1>Bookmarks</H1>
<DL><p>
<DT><a add_date=1600000000 HREF='https://a.example/?x=1&amp;y=2&copy=3'>Fish &amp; <b>&#8220;Chips&#x201d;</b> \n</A>
<DD>About <i>a</i><p>and b
<DT><H3 ADD_DATE="1">A folder</H3>
<DD>About the folder
<DL><p>
<DT><A HREF="https://b.example/" TAGS="x,linkding:bookmarks.archived" TOREAD="0" DATA-IMPORTANT="true" DATA-COVER="https://b.example/p">B<DT>
<A NAME="x">no link</A>
</DL><p>
<DT><A HREF="https://c.example/" TAGS="linkding:bookmarks.archived">C
<HR><A href=https://d.example/ TOREAD=1>D</A><DD>About d[linkding-notes]Notes[/linkding-notes]
</DL>`,
    [
      [
        {
          url: 'https://a.example/?x=1&y=2&copy=3',
          title: 'Fish & “Chips”',
          excerpt: 'About aand b',
          added_on: 1_600_000_000_000,
        },
      ],
      [
        { url: 'https://b.example/', title: 'B', favorite: true, preview: 'https://b.example/p', ...READ },
        'tags',
        'folder',
      ],
      [{ url: 'https://c.example/', title: 'C', ...READ }],
      [{ url: 'https://d.example/', title: 'D', excerpt: 'About d\nNotes' }],
    ],
  ],
  [
    'bookmarks',
    `<title>Pocket Export</title><h1>Unread</h1><ul><li><a href="https://a.example/" time_added="1600000000" tags="">A</a></li></ul>
<h1>Read Archive</h1><ul><li><a href="https://b.example/" time_added="1600000000" tags="x">B</a></li></ul>`,
    [
      [{ url: 'https://a.example/', title: 'A', added_on: 1_600_000_000_000 }],
      [{ url: 'https://b.example/', title: 'B', added_on: 1_600_000_000_000, ...READ }, 'tags'],
    ],
  ],
  [
    'bookmarks',
    `<title>Instapaper: Export</title><h1>Unread</h1><ol><li><a href="https://a.example/">A</a></ol>
<h1>Archive</h1><ol><li><a href="https://b.example/">B</a></ol><h1>Recipes</h1><ol><li><a href="https://c.example/">C</a></ol>
<h1>Starred</h1><ol><li><a href="https://d.example/">D</a></ol>`,
    [
      [{ url: 'https://a.example/', title: 'A' }],
      [{ url: 'https://b.example/', title: 'B', ...READ }],
      [{ url: 'https://c.example/', title: 'C' }, 'folder'],
      [{ url: 'https://d.example/', title: 'D', favorite: true }],
    ],
  ],
  [
    'urls',
    'https://a.example/ | \nhttps://b.example/ | B\n',
    [[{ url: 'https://a.example/', title: 'https://a.example/' }], [{ url: 'https://b.example/', title: 'B' }]],
  ],
  [
    'firefox',
    JSON.stringify({
      title: '',
      type: 'text/x-moz-place-container',
      root: 'placesRoot',
      children: [{ title: 'A', type: 'text/x-moz-place', uri: 'https://a.example/', dateAdded: 1_680_674_828_123_456 }],
    }),
    [[{ url: 'https://a.example/', title: 'A', added_on: 1_680_674_828_123 }]],
  ],
];

describe.each(SAMPLES)('%s', (format, text, expected) => {
  it('is recognised, and gives every field an article has', () => {
    const contents = read(text);
    expect(contents.format).toBe(format);
    expect(contents.entries.map((entry) => [tellingFields(entry), ...entry.leftOut])).toEqual(expected);
    expect(contents.stoppedAt).toBeUndefined();
  });

  it('is read the same when it is named, after a mark and with other line ends', () => {
    const { entries } = read(`\uFEFF${text.replace(/\r?\n/g, '\r\n')}`, format);
    expect(entries.map(({ fields }) => fields.url)).toEqual(expected.map(([{ url }]) => url));
  });
});

it('every format but our own lines has a sample', () => {
  const names = FORMATS.map(({ name }) => name).filter((name) => name !== 'lines');
  expect([...new Set(SAMPLES.map(([name]) => name))].sort()).toEqual(names.sort());
});

describe('a table', () => {
  it.each([
    ['url first', 'url,status,title,tags,time_added\nhttps://a.example/,archive,A,,1600000000\n'],
    ['blanks and capitals', ' Title , URL,Time_Added,Status\nA, https://a.example/ , 1600000000 ,Archive\n'],
    ['semicolons', 'title;url;time_added;status\n"A";https://a.example/;1600000000;archive\n'],
    ['tabs', 'title\turl\ttime_added\tstatus\nA\thttps://a.example/\t1600000000\tarchive\n'],
    ['sep=', 'sep=;\r\ntitle;url;time_added;status\r\nA;https://a.example/;1,6E+09;archive\r\n'],
    ['carriage returns', 'title,url,time_added,status\rA,https://a.example/,1600000000,archive\r'],
    ['blank lines before it', '\r\n\ntitle;url;time_added;status\nA;https://a.example/;1600000000;archive\n'],
  ])('of Pocket is known with %s', (_what, text) => {
    const { format, entries } = read(text);
    expect(format).toBe('pocket');
    const expected = { url: 'https://a.example/', title: 'A', added_on: 1_600_000_000_000, ...READ };
    expect(entries.map(tellingFields)).toEqual([expected]);
  });

  it('gives each row with the line on which it begins', () => {
    const { entries } = read(
      `${POCKET}"a\nb",https://a.example/,1,,\n\nc,https://c.example/,2,,\nin"side,https://d/,3,,\n`,
    );
    expect(entries.map(({ place }) => place.number)).toEqual([2, 5, 6]);
  });

  it.each([
    ['\n', '\n'],
    ['\r\n', '\n'],
    ['\r\n', '\r\n'],
    ['\r', '\r'],
  ])('counts lines that end in %j, in cells %j, and blank ones', (end, inCell) => {
    const lines = [
      '',
      'url,title',
      `https://a/,"a${inCell}${inCell}b"`,
      '',
      ' ',
      'https://b/,"b"',
      '',
      '"never closed',
    ];
    const { entries, stoppedAt } = read(lines.join(end));
    expect(entries.map(({ place }) => place.number)).toEqual([3, 8]);
    expect(stoppedAt?.place?.number).toBe(10);
  });

  it('reads on after quotes that are not where they should be', () => {
    const { entries } = read(
      `${POCKET}in"side,https://a.example/,1,,\n"a"b,https://b.example/,1,,\nc,https://c.example/,1,,`,
    );
    expect(entries.map(({ fields }) => fields.title)).toEqual(['in"side', '"a"b', 'c']);
  });

  it.each([
    ['url\nhttps://a/x,y\n', ['https://a/x,y']],
    [
      'url,title\nhttps://a/,A,\nhttps://b/x,y,B\nhttps://c/,C\n',
      ['https://a/', 'more values than columns', 'https://c/'],
    ],
    [
      'title,url\n"A,https://a/\n"B",https://b/\nC,https://c/\n"""D"" x\ny",https://d/\n',
      ['a quotation mark that is never closed', 'https://c/', 'https://d/'],
    ],
    [
      'url,title\nhttps://a/,"A\nhttps://b/,B"\nhttps://c/,"two\nlines"\n',
      ['a quotation mark that is never closed', 'https://c/'],
    ],
    [
      'url,title,excerpt\nhttps://a/,A,"said\nhttps://b/,B,b"\nhttps://c/,C,"see\nhttps://d/\nand https://e/, too"\n',
      ['a quotation mark that is never closed', 'https://c/'],
    ],
    ['title;url;note\nA;https://a/;"n\nB;https://b/;"\n', ['a quotation mark that is never closed']],
    [
      'title,url\n"A,https://a/\nB, b,https://b/\nC",https://c/\nD,https://d/\n',
      ['a quotation mark that is never closed', 'https://d/'],
    ],
    ['url,title,excerpt\nhttps://a/,A,"see\nhttps://b/, which says so,\nand more"\n', ['https://a/']],
    ['url,note\nhttps://a/,"see\nhttps://b/, which says so"\n', ['https://a/']],
    [
      'title,url\n"A on X: ""look\nhttps://b/""",https://a/\n"A\n(https://b/, https://c/)",https://d/\n',
      ['https://a/', 'https://d/'],
    ],
  ])('loses nothing of rows that are not what the columns say: %j', (text, expected) => {
    expect(read(text).entries.map(({ problem, fields }) => problem ?? fields.url)).toEqual(expected);
  });

  it.each([
    'https://a/,Tea\nhttps://b/,Coffee\n',
    'https://a/,Tea\n\nhttps://b/,How to make it\nhttps://c/,\n',
    'https://a/;Tea;1600000000\r\nhttps://b/;Coffee;1600000000\r\n',
    'https://a/\tTea\nhttps://b/\tCoffee\n',
  ])('without the names of its columns is not taken for one URL per line: %j', (text) => {
    expect(failure(text)).toBe('not an export that can be read');
  });

  it.each([
    ['https://a/x,1\n', ['https://a/x,1']],
    ['https://a/x,1\nhttps://b/\n', ['https://a/x,1', 'https://b/']],
    ['https://a/x,1 | A\nhttps://b/y,2 | B\n', ['https://a/x,1', 'https://b/y,2']],
  ])('is not what URLs with commas are: %j', (text, urls) => {
    expect(read(text).entries.map(({ fields }) => fields.url)).toEqual(urls);
  });

  it.each<[text: string, fields: Partial<EntryFields>, leftOut: string[]]>([
    ['url,status\nhttps://a/,archive', READ, []],
    ['url,status\nhttps://a/,read', { unread: false }, []],
    ['url,status\nhttps://a/,unread', {}, []],
    [
      'url,time_added,archived,excerpt,word_count,resolved_url\nhttps://a/,1600000000,1,e,1.2E+03,https://b/',
      { added_on: 1_600_000_000_000, excerpt: 'e', word_count: 1200, resolved_url: 'https://b/', ...READ },
      [],
    ],
    [
      'url,favorite,unread,archived,description,created\nhttps://a/,false,true,false,d,1600000000',
      { excerpt: 'd', added_on: 1_600_000_000_000 },
      [],
    ],
    ['url,word_count,starred,is_archived\nhttps://a/,7,1,1', { word_count: 7, favorite: true, ...READ }, []],
    ['url,author,rating\nhttps://a/,x,', {}, ['other columns']],
    ['url,author\nhttps://a/,', {}, []],
    ['url,title,name\nhttps://a/,A,B', { title: 'A' }, ['other columns']],
    ['url,title,name\nhttps://a/,A,A', { title: 'A' }, []],
    ['url,title,name\nhttps://a/,,B', { title: 'B' }, []],
    [
      JSON.stringify([{ url: 'https://a/', slug: 'a', savedAt: '', author: 'x', updatedAt: '2023-04-05' }]),
      {},
      ['other columns'],
    ],
    [JSON.stringify([{ url: 'https://a/', slug: 'a', savedAt: '', author: '', isNew: false, count: null }]), {}, []],
    [JSON.stringify([{ url: 'https://a/', slug: 'a', savedAt: '' }, null]), {}, []],
    [
      'url,word_count,resolved_url,read_position\nhttps://a/,many,a,x',
      {},
      ['second address', 'word count', 'reading progress'],
    ],
    [
      JSON.stringify([{ url: 'https://a/', slug: 'a', savedAt: '', wordCount: 9, readingProgress: 'half' }]),
      { word_count: 9 },
      ['reading progress'],
    ],
    ['url,saved date,location,reading progress\nhttps://a/,,new,"0,25"', {}, ['reading progress']],
    ['url,saved date,location,reading progress\nhttps://a/,,new,"1,0"', { unread: false }, []],
    ['url,saved date,location,reading progress\nhttps://a/,,new,half', {}, ['reading progress']],
  ])('gives every field that has a usual name, and counts what is left: %j', (text, fields, leftOut) => {
    const [entry] = read(text).entries;
    expect(tellingFields(entry!)).toEqual({ url: 'https://a/', title: 'https://a/', ...fields });
    expect(entry!.leftOut).toEqual(leftOut);
  });
});

const WESTERN =
  'title;url;time_added\nGrün – œuvre “x”;https://a.example/p\u00e8re;1600000000\nb;https://a.example/p\u00e9re;1\n';
const WINDOWS_1252: Readonly<Record<string, number>> = { '–': 0x96, œ: 0x9c, '“': 0x93, '”': 0x94 };
const inWindows1252 = (text: string): Buffer =>
  Buffer.from([...text].map((character) => WINDOWS_1252[character] ?? character.charCodeAt(0)));

describe('a text is read', () => {
  it.each([
    ['in UTF-8', Buffer.from(WESTERN)],
    ['in UTF-8 with a mark', Buffer.from(`\uFEFF${WESTERN}`)],
    ['in UTF-16, little end first', Buffer.from(`\uFEFF${WESTERN}`, 'utf16le')],
    ['in UTF-16, big end first', Buffer.from(`\uFEFF${WESTERN}`, 'utf16le').swap16()],
    ['in UTF-16 without a mark', Buffer.from(WESTERN, 'utf16le')],
    ['in UTF-16, big end first, without a mark', Buffer.from(WESTERN, 'utf16le').swap16()],
    ['in Windows-1252', inWindows1252(WESTERN)],
    [
      'in UTF-8 but for a line',
      Buffer.concat([Buffer.from(WESTERN), Buffer.from('\xe9;https://c.example/;1', 'latin1')]),
    ],
  ])('%s', (_encoding, bytes) => {
    const { entries } = readExport(bytes);
    const [first, second] = entries.map(({ fields }) => fields);
    expect(first!.title).toBe('Grün – œuvre “x”');
    expect([first!.url, second!.url]).toEqual(['https://a.example/père', 'https://a.example/pére']);
  });
});

it('our own lines without a URL have none', () => {
  const { entries } = read(`{"account":"${'a'.repeat(32)}"}\n{"id":"x"}\n{"id":"y","url":5}\n`);
  expect(entries.map(({ fields }) => fields.url)).toEqual(['', '']);
});

describe('a date', () => {
  const dateOf = (text: string): Entry => read(`url,time_added\nhttps://a.example/,"${text}"\n`).entries[0]!;

  it.each<[text: string, expected: number]>([
    ['1600000000', 1_600_000_000_000],
    [' 1600000000 ', 1_600_000_000_000],
    ['1600000000.5', 1_600_000_000_500],
    ['1600000000123', 1_600_000_000_123],
    ['1600000000123456', 1_600_000_000_123],
    ['1600000000123456789', 1_600_000_000_123],
    ['13244473600123456', 1_600_000_000_123],
    ['13244473600123', 1_600_000_000_123],
    ['13244473600', 1_600_000_000_000],
    ['1.6E+09', 1_600_000_000_000],
    ['1,6e9', 1_600_000_000_000],
    ['1.60E+12', 1_600_000_000_000],
    ['2020-09-13', 1_599_955_200_000],
    ['2020-09-13T12:26:40Z', 1_600_000_000_000],
    ['2020-09-13T12:26:40.123456Z', 1_600_000_000_123],
    ['2020-09-13T14:26:40+0200', 1_600_000_000_000],
    ['2020-09-13 12:26:40', 1_600_000_000_000],
    ['2020-09-13 12:26:40 UTC', 1_600_000_000_000],
    ['2020-09-13 10:26-02', 1_599_999_960_000],
    ['13.09.2020 12:26', 1_599_999_960_000],
    ['13/09/2020', 1_599_955_200_000],
    ['9/13/2020', 1_599_955_200_000],
    ['29.02.2020', 1_582_934_400_000],
  ])('%j is read', (text, expected) => {
    expect(dateOf(text)).toMatchObject({ fields: { added_on: expected } });
    expect(dateOf(text).date).toBeUndefined();
  });

  it.each([
    '0',
    '-5',
    '-1600000000',
    'soon',
    '2020-13-45',
    '9/8/2020',
    '1e99',
    'NaN',
    '0.0',
    '1969-12-31',
    '20200809',
    '20200809123045',
    '44052.4',
    '44052,4',
    '31.02.2020',
    '2020-02-31',
    '2021-02-29T12:00Z',
  ])('%j counts as none that can be read', (text) => {
    expect(dateOf(text)).toMatchObject({ date: 'unreadable' });
    expect(dateOf(text).fields.added_on).toBeUndefined();
  });

  it('that is blank is missing', () => {
    expect(dateOf(' ').date).toBe('missing');
  });
});

const NETSCAPE = '<!DOCTYPE NETSCAPE-Bookmark-file-1>';

describe('a file that cannot be read', () => {
  const BAD: [text: string, wanted: string | undefined, reason: string][] = [
    ['', undefined, 'the file is empty'],
    ['hello\n', undefined, 'not an export that can be read'],
    ['{"id":"1"}', undefined, 'not an export that can be read'],
    ['{"bookmarks":[]}', undefined, 'not an export that can be read'],
    ['[{"href":1}]', undefined, 'not an export that can be read'],
    ['[', undefined, 'not an export that can be read'],
    ['title,address\na,b', undefined, 'not an export that can be read'],
    ['url,title\nhttps://a.example/,A', 'pocket', 'not the format Pocket (CSV): it has no column "time_added"'],
    ['[{"url":"x"}]', 'pinboard', 'not the format Pinboard (JSON): no entry has "href", "description", and "toread"'],
    ['url,title\n', 'bookmarks', 'not bookmarks: there is no link'],
    [`${POCKET}a,https://a.example/,1,,\n"never\nclosed`, undefined, 'line 3: a quoted field that is never closed'],
    [`url,title\n"${'x'.repeat(17 * 2 ** 20)}"`, undefined, 'line 2: too long'],
    ['{"account":"me","items":[]}', undefined, 'not an export that can be read'],
    ['<!doctype html><html><a href="/about">About</a>', undefined, 'not an export that can be read'],
    ['url,username,Password,notes\nhttps://a/,me,secret,n', undefined, 'these are passwords, not a reading list'],
    [`${NETSCAPE}<DL>\n${'<b>'.repeat(11_000)}`, undefined, 'line 2: elements are nested too deeply'],
    [`{"account":"${'a'.repeat(32)}"}\n5`, undefined, 'line 2: not an object'],
    ['{"id":"a"}', 'lines', 'line 1: the account is missing; is this the whole of a "user export"?'],
  ];

  it.each(BAD.map(([text, wanted, reason]) => [reason, text, wanted] as const))(
    'is refused: %s',
    (reason, text, wanted) => {
      expect(failure(text, wanted)).toBe(reason);
    },
  );

  it('gives what comes before the error', () => {
    const { entries } = read(`${POCKET}a,https://a.example/,1,,\n"never\nclosed`);
    expect(entries.map(({ fields }) => fields.url)).toEqual(['https://a.example/']);
  });
});

describe('reading a file twice as long takes no more than four times as long', () => {
  const csv = (row: string) => (count: number) => `url,title,time_added\n${row.repeat(count)}`;
  /** Processor time, as other processes may get the processor meanwhile. */
  const millisecondsOf = (text: string): number => {
    const start = process.cpuUsage();
    failure(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };

  it.each<[string, number, (count: number) => string]>([
    ['unclosed quotes', 200_000, csv('a""')],
    ['a quoted field', 4_000_000, (count) => `url,title\nhttps://a/,"${'x'.repeat(count / 2)}"\n`],
    ['commas', 500_000, csv(',')],
    ['blanks', 500_000, csv(' ')],
    ['blank lines', 1_000_000, csv('\n')],
    ['an attribute without end', 4_000_000, (count) => `${NETSCAPE}<a ${'a'.repeat(count)}`],
    ['attributes', 400_000, (count) => `${NETSCAPE}<a ${'a b=c '.repeat(count)}`],
    ['links in links', 200_000, (count) => NETSCAPE + '<a href=x>'.repeat(count)],
    ['closed and never opened', 400_000, (count) => `${NETSCAPE}${'<b>'.repeat(200)}${'</i>'.repeat(count)}`],
    ['entities', 400_000, (count) => `${NETSCAPE}<a href=x>${'&amp'.repeat(count)}`],
    [
      'folders in folders',
      200_000,
      (count) => `{"guid":"r","children":[${'{"children":['.repeat(count)}${']}'.repeat(count)}]}`,
    ],
  ])('%s', (_what, count, text) => {
    millisecondsOf(text(count / 4));
    const [half, whole] = [millisecondsOf(text(count / 2)), millisecondsOf(text(count))];
    expect(whole).toBeLessThan(4 * half + 500);
  });
});

describe('an archive', () => {
  const row = (name: string): Uint8Array => strToU8(`${POCKET}${name},https://${name}.example/,1600000000,,\n`);
  const failureOf = (bytes: Uint8Array, wanted?: string): string => {
    try {
      return readExport(bytes, wanted).stoppedAt?.message ?? 'nothing failed';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is read file by file, with the names of those that are not exports', () => {
    const inner = zipSync({ 'a.csv': row('inner') });
    const { entries, others, format } = readExport(
      zipSync({
        'part_000001.csv': row('b'),
        'part_000000.csv': row('a'),
        'readme.html': strToU8('<p>Hello <a href="https://x.example/">x</a></p>'),
        'content/a.html': strToU8('<!DOCTYPE NETSCAPE-Bookmark-file-1><a href="https://x.example/">x</a>'),
        'notes.txt': strToU8('hello'),
        'more.zip': inner,
      }),
    );
    expect(format).toBe('pocket');
    expect(entries.map(({ place, fields }) => [place.file, place.number, fields.title])).toEqual([
      ['part_000000.csv', 2, 'a'],
      ['part_000001.csv', 2, 'b'],
    ]);
    expect(others.sort()).toEqual(['content/a.html', 'more.zip', 'notes.txt', 'readme.html']);
  });

  it('is read where names begin with ./, without hidden files', () => {
    const archive = { './a.csv': row('a'), './b/c.csv': row('c'), '.d.csv': row('d'), './b/._e.csv': row('e') };
    const { entries, others } = readExport(zipSync(archive));
    expect(entries.map(({ fields }) => fields.title)).toEqual(['a', 'c']);
    expect(others.sort()).toEqual(['./b/._e.csv', '.d.csv']);
  });

  it('names the files that look like exports and cannot be read', () => {
    const { entries, others, unreadable } = readExport(
      zipSync({
        'metadata_0_to_20.json': strToU8('[{"url":"https://a.example/","slug":"a","savedAt":"2023-04-05"}]'),
        'metadata_20_to_40.json': strToU8('[{"url":"https://b.example/","slug":"b","sav'),
        'part.csv': strToU8('C,https://c.example/,1'),
        'content/a.html': strToU8('a'),
      }),
    );
    expect(entries.map(({ fields }) => fields.url)).toEqual(['https://a.example/']);
    expect(unreadable).toEqual(['metadata_20_to_40.json', 'part.csv']);
    expect(others).toEqual(['content/a.html']);
  });

  it('of which no file is of the wanted format says so', () => {
    expect(failureOf(zipSync({ 'a.csv': row('a') }), 'pinboard')).toBe('no file in the archive is of this format');
    const workbook = zipSync({ 'xl/workbook.xml': row('a'), 'xl/worksheets/sheet1.xml': row('b') });
    expect(failureOf(workbook)).toBe('an Excel workbook: save it as CSV with a column "url"');
  });

  it('that is encrypted is refused as such, also after a folder', () => {
    const bytes = zipSync({ 'a/': new Uint8Array(), 'a/a.csv': [row('a'), { level: 0 }] });
    const entry = Buffer.from(bytes).lastIndexOf('PK\u0001\u0002');
    bytes[entry + 8]! |= 1;
    expect(failureOf(bytes)).toBe('the archive is encrypted');
  });

  it('names the file of an error', () => {
    const archive = zipSync({ 'a.csv': row('a'), 'b.csv': strToU8(`${POCKET}"never`) });
    expect(failureOf(archive)).toBe('b.csv, line 2: a quoted field that is never closed');
  });

  it.each([
    ['that becomes too large', zipSync({ 'a.csv': new Uint8Array(20 * 2 ** 20) }), 'the archive becomes too large'],
    ['that is cut off', zipSync({ 'a.csv': row('a'), 'b.csv': row('b') }).subarray(0, 150), 'the archive is damaged'],
    ['that has no export', zipSync({ 'a.txt': strToU8('hello') }), 'not an export that can be read'],
  ])('%s is refused', (_what, bytes, reason) => {
    expect(failureOf(bytes)).toContain(reason);
  });
});

it.each([
  ['', 'none'],
  ['chrome://settings', 'browser'],
  ['about:blank', 'browser'],
  ['place:sort=8', 'search'],
  ['javascript:alert(1)', 'script'],
  ['file:///a', 'file'],
  ['data:text/plain,x', 'contents'],
  ['mailto:a@b.example', 'contact'],
  ['https://about.example/', undefined],
  ['gemini://a.example/', undefined],
])('%j is not a page: %s', (url, kind) => {
  expect(noPage(url)).toBe(kind);
  if (kind) expect(NO_PAGE[kind as keyof typeof NO_PAGE]).toBeTruthy();
});

it('long texts are cut where an article ends, and counted', () => {
  expect([MAX_TITLE, MAX_EXCERPT]).toEqual([MAX_CODE_POINTS.title, MAX_CODE_POINTS.text]);
  const [fits, title, excerpt] = read(
    [
      'url,title,excerpt',
      `https://a/,${'😀'.repeat(1024)},`,
      `https://b/,${'😀'.repeat(1025)},`,
      `https://c/,C,${'x'.repeat(16_001)}`,
    ].join('\n'),
  ).entries;
  expect([fits!.fields.title, fits!.leftOut]).toEqual(['😀'.repeat(1024), []]);
  expect([title!.fields.title, title!.leftOut]).toEqual(['😀'.repeat(1024), ['the end of a long text']]);
  expect(excerpt!.leftOut).toEqual(['the end of a long text']);
});

it('the samples of the command’s tests are read', () => {
  const names = ['pocket.csv', 'instapaper.csv', 'bookmarks.netscape'];
  const counts = names.map((name) => readExport(readFileSync(`test/operations/samples/${name}`)).entries.length);
  expect(counts).toEqual([4, 3, 3]);
});
