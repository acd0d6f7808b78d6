import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readExport, unicodeOf } from '../../formats/src/index.js';
import { type StoredArticle, toBookmarks, toCsv, toLines } from '../../formats/src/write.js';
import { linesOf, readOwnLines } from '../../src/commands/import/own-lines.js';
import { type Field, type FieldKind, FIELDS, type FieldValue } from '../../src/protocol/fields.js';

/** Bytes in chunks of a size, as a file or a socket gives them. */
async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

const linesIn = (bytes: Buffer, size: number) => linesOf(inChunks(bytes, size), unicodeOf(bytes));

async function all(text: string, size: number): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of readOwnLines(linesIn(Buffer.from(text), size))) lines.push(line);
  return lines;
}

const ACCOUNT = JSON.stringify({ account: 'a'.repeat(32), last_modified: 5, purged_until: 0 });

it.each([1, 7, 65_536])('own lines in chunks of %i bytes name the line that is wrong', async (size) => {
  expect(await all(`\uFEFF${ACCOUNT}\r\n\n${ACCOUNT}`, size)).toHaveLength(2);
  await expect(all(`${ACCOUNT}\n\n{"id":`, size)).rejects.toThrow('line 3: not JSON');
  await expect(all(`${ACCOUNT}\n5`, size)).rejects.toThrow('line 2: not an object');
  await expect(all(`${ACCOUNT}\n{"id":"5"}`, size)).rejects.toThrow('line 2: id: not a UUID');
  const tombstone = '{"id":"00000000-0000-4000-8000-000000000000","last_modified":1,"deleted":true}';
  await expect(all(tombstone, size)).rejects.toThrow('line 1: the account is missing');
  const purged = ACCOUNT.replace('"purged_until":0', '"purged_until":6');
  expect(await all(purged, size)).toMatchObject([{ state: { last_modified: 6, purged_until: 6 } }]);
  const late = tombstone.replace('"last_modified":1', '"last_modified":253402300800000');
  await expect(all(`${ACCOUNT}\n${late}`, size)).rejects.toThrow('line 2: last_modified: not a timestamp');
});

it.each([1, 7, 65_536])('a text in chunks of %i bytes is decoded, also with lines in Windows-1252', async (size) => {
  const western = Buffer.from('{"url":"p\xe8re"}\n{"url":"p\xe9re"}\n', 'latin1');
  const encodings: [Buffer, string][] = [
    [Buffer.concat([western, Buffer.from('{"url":"père €"}')]), '{"url":"père"}\n{"url":"pére"}\n{"url":"père €"}'],
    [Buffer.from('\uFEFF{"url":"€"}', 'utf16le'), '{"url":"€"}'],
    [Buffer.from('\uFEFF{"url":"€"}\n5', 'utf16le').subarray(0, -1), '{"url":"€"}\n\uFFFD'],
  ];
  for (const [bytes, expected] of encodings) {
    const decoded: string[] = [];
    for await (const line of linesIn(bytes, size)) decoded.push(line);
    expect(decoded.join('\n')).toBe(expected);
  }
});

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const title = text.map((value) => value.replace(/^[ \t\r\n]+|[ \t\r\n]+$|\0/g, '').toWellFormed());
const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
const timestamp = fc.integer({ min: 1, max: 4_000_000_000_000 });
const count = fc.nat({ max: 1_000_000 });
const device = title.filter((value) => value !== '');
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const VALUES: Record<FieldKind, fc.Arbitrary<FieldValue>> = {
  uuid: fc.uuid(),
  timestamp,
  integer: count,
  boolean: fc.boolean(),
  url,
  title,
  label: title,
  text: text.map((value) => value.replaceAll('\0', '').toWellFormed()),
  device,
};

const stored = fc.record({
  ...Object.fromEntries(
    Object.entries<Field>(FIELDS).map(([name, { kind, nullable }]) => [
      name,
      nullable ? orNull(VALUES[kind]) : VALUES[kind],
    ]),
  ),
  // The import takes fewer than 100 million seconds for no date.
  added_on: fc.integer({ min: 1e11, max: 4e12 }),
}) as fc.Arbitrary<StoredArticle>;
const articles = fc.array(stored, { maxLength: 5 });

it('JSON lines lose nothing', async () => {
  await fc.assert(
    fc.asyncProperty(articles, fc.integer({ min: 1, max: 500 }), async (written, size) => {
      const [, ...read] = await all(toLines(written), size);
      expect(read.map((line) => (line as { item: unknown }).item)).toEqual(written);
    }),
  );
});

/** What a file keeps, as far as it can: blanks around a text go, and a time is in seconds. */
const kept = ({ url, title, excerpt, added_on, unread, favorite }: StoredArticle) => ({
  ...{ url, title: title?.trim() || url, excerpt: excerpt.trim() || undefined, unread, favorite },
  added_on: Math.floor(added_on / 1000) * 1000 || undefined,
});

it('CSV keeps the fields that it names', () => {
  fc.assert(
    fc.property(articles, (written) => {
      const { format, entries } = readExport(new TextEncoder().encode(toCsv(written)));
      expect(format).toBe('csv');
      const fields = entries.map(({ fields }) => ({
        ...fields,
        preview: fields.preview,
        word_count: fields.word_count,
      }));
      expect(fields).toEqual(
        written.map((article) => ({
          ...kept(article),
          archived: article.archived,
          resolved_url: article.resolved_url === article.url ? undefined : article.resolved_url,
          preview: article.preview ?? undefined,
          word_count: article.word_count ?? undefined,
          read_position: article.read_position,
          marked_read_on: undefined,
        })),
      );
    }),
  );
});

it('CSV runs nothing, also in a spreadsheet that separates values by semicolons or tabs', () => {
  const texts = [
    '=1+1',
    '@x',
    'a;=1+1;b',
    "a;'-1",
    'a\t+1',
    '\t=1',
    'a\n=1;\n@x',
    '- a\r\n- b',
    "';=1",
    'a; =1',
    "it's",
  ];
  const written = texts.map((excerpt, at) => ({
    ...fc.sample(stored, 1)[0]!,
    ...{
      url: `https://a.example/${at};=1;`,
      title: 'T',
      excerpt,
      preview: null,
      resolved_url: `https://b.example/;@1`,
    },
  }));
  const file = toCsv(written);
  for (const separator of [',', ';', '\t']) {
    // Of a cell in quotes, what comes after the first separator or line is another cell where the quotes are not at the beginning.
    const cells = [...file.matchAll(new RegExp(`(?<=^|[\\r\\n${separator}])[^\\r\\n${separator}]+`, 'g'))].map(
      ([cell]) => cell,
    );
    expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
  }
  const { entries } = readExport(new TextEncoder().encode(file));
  expect(entries.map(({ fields }) => [fields.url, fields.excerpt, fields.resolved_url])).toEqual(
    written.map(({ url, excerpt, resolved_url }) => [url, excerpt.trim(), resolved_url]),
  );
});

it('bookmarks keep what browsers and other services read', () => {
  const blanks = (value: string | undefined) => value?.replace(/\s+/g, ' ').trim();
  fc.assert(
    fc.property(articles, (written) => {
      const { format, entries } = readExport(new TextEncoder().encode(toBookmarks(written)));
      expect(format).toBe('bookmarks');
      const tidy = written.map(kept).map((one) => ({ ...one, title: blanks(one.title) || one.url }));
      const read = entries.map(({ fields }) => {
        const { url, title, excerpt, added_on, unread, favorite } = fields;
        return { url, title, excerpt, added_on, unread, favorite };
      });
      expect(read).toEqual(tidy);
    }),
  );
});
