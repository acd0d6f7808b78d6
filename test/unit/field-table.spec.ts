import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  FIELD_NAMES,
  FIELDS,
  fieldsWhere,
  KINDS,
  MAX_CODE_POINTS,
  MAX_FIXED_BYTES,
  MAX_RECORD_BYTES,
  type FieldKind,
  type FieldValue,
} from '../../src/protocol/fields.js';

const TABLE = 'protocol/fields.ts';
/** The exports of other services have eight of them; nothing else names more than the few that have rules of their own. */
const MOST_NAMES_IN_A_FILE = 8;

/** A migration says what the table was on its day, and is never changed. */
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith(join('database', 'migrations')),
);

const codeOf = (file: string): string =>
  readFileSync(join('src', file), 'utf8')
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');

const namesIn = (code: string): string[] => FIELD_NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(code));

describe('the table of fields', () => {
  it('names each field once', () => {
    const code = codeOf(TABLE).split('export const FIELDS')[1]!;
    for (const name of FIELD_NAMES) expect(code.match(new RegExp(`^  ${name}: \\{`, 'gm')), name).toHaveLength(1);
  });

  it('has one text of any length, which listings read apart from the rest', () => {
    expect(fieldsWhere(({ kind }) => kind === 'text')).toEqual(['excerpt']);
  });

  it('bounds a record: one whose values are as long as they can be', () => {
    const bytesOf = (valueOf: (kind: FieldKind) => FieldValue) =>
      Buffer.byteLength(
        JSON.stringify(Object.fromEntries(FIELD_NAMES.map((name) => [name, valueOf(FIELDS[name].kind)]))),
      );
    const fixed = (kind: FieldKind) => {
      if (kind === 'uuid') return '00000000-0000-0000-0000-000000000000';
      return KINDS[kind].type === 'number' ? Number.MAX_SAFE_INTEGER : KINDS[kind].type === 'boolean' ? false : '';
    };
    const longest = (kind: FieldKind) =>
      kind in MAX_CODE_POINTS ? '\u0001'.repeat(MAX_CODE_POINTS[kind as keyof typeof MAX_CODE_POINTS]) : fixed(kind);
    expect(bytesOf(fixed)).toBeLessThanOrEqual(MAX_FIXED_BYTES);
    expect(bytesOf(longest)).toBeLessThanOrEqual(MAX_RECORD_BYTES);
    // Room for thirty more short texts. Another long one would need another look at `MemorySlots`.
    expect(MAX_RECORD_BYTES).toBeLessThan(200_000);
  });

  it('is the only place that lists them', () => {
    const lists = sources
      .filter((file) => file !== TABLE)
      .map((file) => [file, namesIn(codeOf(file))] as const)
      .filter(([, names]) => names.length > MOST_NAMES_IN_A_FILE);
    expect(lists).toEqual([]);
  });

  it.each(['preview', 'word_count'])('is the only place that names %s, which has no rule of its own', (name) => {
    expect(sources.filter((file) => namesIn(codeOf(file)).includes(name))).toEqual([TABLE]);
  });
});
