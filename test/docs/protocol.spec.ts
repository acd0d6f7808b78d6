import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { ERRORS } from '../../src/protocol/api-error.js';
import { type Field, FIELD_NAMES, FIELDS, fieldsWhere, type Kind, KINDS } from '../../src/protocol/fields.js';
import { CONTRACT, type Document, type Json } from './document.js';

const text = readFileSync('docs/protocol.md', 'utf8');
const headings = [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading!);

/** What stands under a heading, up to the next of its rank. */
const section = (heading: string): string => text.split(`\n## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '';

/** The fields that a sentence names; `marked_read_…` stands for those that begin so. */
const namedIn = (sentence = ''): string[] =>
  [...sentence.matchAll(/`(\w+)(…?)`/g)]
    .flatMap(([, name, rest]) => (rest ? FIELD_NAMES.filter((field) => field.startsWith(name!)) : name!))
    .sort();

/** The rows of the tables in a text, without their heads, as lists of cells. */
const rows = (markdown: string): string[][] =>
  [...markdown.matchAll(/^\|(?! *-)(.*)\|$/gm)].map(([, row]) => row!.split('|').map((cell) => cell.trim()));

function onCreationOf({ givenBy, default: value }: Pick<Field, 'givenBy' | 'default'>): string {
  if (givenBy) return givenBy === 'device' ? '**required**' : 'server';
  if (typeof value !== 'object' || value === null) return value === '' ? '`""`' : String(value);
  return 'now' in value ? 'now' : `\`${value.sameAs}\``;
}

describe('docs/protocol.md', () => {
  it('has every section that source comments refer to', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const named = sources.flatMap((file) =>
      [...readFileSync(join('src', file), 'utf8').matchAll(/docs\/protocol\.md, "([^)]+)"\)/g)].flatMap(([, names]) =>
        names!.split('" and "'),
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const heading of named) expect(headings).toContain(heading);
  });

  it('links to sections that exist', () => {
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));
    for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });

  it.each([
    'Creating',
    'Listing',
    'Polling',
    'Conditional requests',
    'PATCH',
    'Deleting',
    'Batch',
    'Authentication',
    'Login',
    'Utility endpoints',
    'Errors',
    'Other origins',
    'Versioning',
  ])('has an example under "%s"', (heading) => {
    expect(section(heading)).toMatch(/```sh\n.*curl.*```http\n/s);
  });

  it('lists the fields in the order of the answers', () => {
    const fields = rows(section('Articles')).slice(1);
    expect(fields.map(([name]) => name)).toEqual(FIELD_NAMES.map((name) => `\`${name}\``));
  });

  it('says of each field what the table of the fields says', () => {
    const listed = rows(section('Articles')).slice(1);
    const kinds = { uuid: 'UUID', url: 'URL' } as Record<string, string>;
    const patched = { always: /^yes/, 'on reading': /^when marked as read$/ };
    for (const [at, name] of FIELD_NAMES.entries()) {
      const { kind, nullable, patch, ...field }: Field = FIELDS[name];
      expect(listed[at], `the row of ${name} is missing`).toBeDefined();
      const [, type, onCreation, byPatch] = listed[at]!;
      expect(type, name).toBe(`${kinds[kind] ?? kind}${nullable ? ' or null' : ''}`);
      expect(onCreation, name).toBe(onCreationOf(field));
      expect(byPatch, name).toMatch(patch ? patched[patch] : /^no$/);
    }
  });

  it('lists the fields that a PATCH can change', () => {
    const [sentence] = /^- .*?can be changed/ms.exec(section('PATCH')) ?? [];
    expect(namedIn(sentence)).toEqual([...fieldsWhere(({ patch }) => patch !== undefined)].sort());
  });

  it('lists the fields for which null in a PATCH means something', () => {
    const [, sentence] = /^- `null` (clears .*?); any other field/ms.exec(section('PATCH')) ?? [];
    const isCleared = ({ kind, nullable, default: otherwise, patch }: Field) =>
      patch !== undefined && (nullable ?? (KINDS[kind].type === 'text' && otherwise !== undefined));
    expect(namedIn(sentence)).toEqual([...fieldsWhere(isCleared)].sort());
  });

  it('lists the fields for which an empty filter means null', () => {
    const [, sentence] = /^- An empty value means null for (.*?), and the empty text/ms.exec(section('Listing')) ?? [];
    const isNull = ({ kind, nullable }: Field) => nullable === true && !(KINDS[kind] as Kind).mayBeEmpty;
    expect(namedIn(sentence)).toEqual([...fieldsWhere(isNull)].sort());
  });

  it('lists every error with its status and number', () => {
    const listed = rows(section('Errors'))
      .slice(1)
      .map(([status, errno]) => `${status} ${errno}`);
    expect([...new Set(listed)].sort()).toEqual(
      Object.values(ERRORS)
        .map(({ status, errno }) => `${status} ${errno}`)
        .sort(),
    );
  });

  it('names every header of an answer', () => {
    const general = { 'Referrer-Policy': 'Login', 'Set-Cookie': 'Login' } as Record<string, string>;
    for (const name of Object.keys((JSON.parse(CONTRACT) as Document).components.headers as Json))
      if (!(name in general)) expect(section('Headers')).toContain(name.replace(/^(Access-Control-).*/, '$1'));
  });

  it('lists the settings that GET /v2 shows', () => {
    const { ServiceSettings } = (JSON.parse(CONTRACT) as Document).components.schemas as Record<
      string,
      { required: string[] }
    >;
    const listed = rows(section('Utility endpoints')).map(([name]) => name);
    expect(listed).toEqual(expect.arrayContaining(ServiceSettings!.required.map((name) => `\`${name}\``)));
  });

  it('gives the limits that the settings have by default', () => {
    const { pageSize, batchMaxRequests, maxArticlesPerUser, maxBodyBytes, oauthStateSeconds } = readSettings({});
    const limits = rows(section('Limits')).map((cells) => cells.join(' '));
    expect(limits).toContainEqual(expect.stringContaining(`items in a page ${pageSize} *`));
    expect(limits).toContainEqual(
      expect.stringContaining(`articles of a user ${maxArticlesPerUser.toLocaleString('en')} *`),
    );
    expect(limits).toContainEqual(expect.stringContaining(`requests in a batch ${batchMaxRequests} *`));
    expect(limits).toContainEqual(expect.stringContaining(`body of a request ${maxBodyBytes / 2 ** 20} MiB *`));
    expect(limits).toContainEqual(expect.stringContaining(`time to finish a login ${oauthStateSeconds / 3600} hour *`));
  });
});
