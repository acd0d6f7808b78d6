import { describe, expect, it } from 'vitest';
import { COLUMNS, rowValues } from '../../src/articles/store/article.row.js';
import { type Faults, faultsOf } from '../../src/commands/doctor/record-damage.js';
import type { Row } from '../../src/database/session.js';
import { isUsableTimestamp, LATEST_TIMESTAMP } from '../../src/protocol/timestamp.js';
import { aStoredArticle } from '../support/article.js';

const TIME = 1_760_000_000_000;

const ARTICLE = aStoredArticle({
  last_modified: TIME,
  url: 'https://example.com/',
  resolved_url: 'https://example.com/',
  title: null,
  resolved_title: null,
  added_on: 0,
  stored_on: TIME,
});
const VALUES = rowValues(ARTICLE);

const aRow = (columns: Row = {}): Row => ({
  ...Object.fromEntries(COLUMNS.map((column, at) => [column, VALUES[at]!])),
  ...columns,
});
const aTombstone = (columns: Row = {}): Row => ({
  ...Object.fromEntries(Object.keys(aRow()).map((column) => [column, null])),
  id: Buffer.alloc(16),
  last_modified: TIME,
  deleted: 1,
  ...columns,
});

describe('the faults of a row', () => {
  it.each<[string, Row, Faults]>([
    ['an article', aRow(), {}],
    ['a tombstone', aTombstone(), {}],
    ['the largest number', aRow({ word_count: Number.MAX_SAFE_INTEGER, added_on: Number.MAX_SAFE_INTEGER }), {}],
    ['the latest timestamp', aRow({ last_modified: LATEST_TIMESTAMP }), {}],
    ['a later one', aRow({ last_modified: LATEST_TIMESTAMP + 1 }), { last_modified: 'is too large' }],
    ['digits of MySQL', aRow({ added_on: '9007199254740993' }), { added_on: 'is too large' }],
    ['negative digits of MySQL', aRow({ added_on: '-9007199254740993' }), { added_on: 'is negative' }],
    ['text', aRow({ read_position: 'far' }), { read_position: 'is not a number' }],
    ['NULL in a number', aRow({ read_position: null }), { read_position: 'is NULL' }],
    ['NULL in a text', aRow({ excerpt: null, added_by: null }), { excerpt: 'is NULL', added_by: 'is NULL' }],
    ['bytes in a number', aRow({ word_count: Buffer.alloc(1) }), { word_count: 'is not a number' }],
    ['a fraction', aRow({ marked_read_on: 0.5 }), { marked_read_on: 'is not an integer' }],
    ['a number in a text', aRow({ title: 5 }), { title: 'is not text' }],
    ['a short id', aRow({ id: Buffer.alloc(15) }), { id: 'is not 16 bytes long' }],
    ['a flag', aRow({ unread: 2 }), { unread: 'is neither 0 nor 1' }],
    ['a tombstone with a bad time', aTombstone({ last_modified: -1 }), { last_modified: 'is negative' }],
    ['neither article nor tombstone, with a URL', aRow({ deleted: 2 }), { deleted: 'is neither 0 nor 1' }],
    ['neither article nor tombstone, without', aTombstone({ deleted: null }), { deleted: 'is neither 0 nor 1' }],
  ])('%s', (_what, row, faults) => {
    expect(faultsOf(row)).toEqual(faults);
  });
});

it.each([
  [0, true],
  [LATEST_TIMESTAMP, true],
  [LATEST_TIMESTAMP + 1, false],
  [-1, false],
  [0.5, false],
  [NaN, false],
  ['5', false],
  [null, false],
])('%s is a time that a clock can go on from: %s', (value, expected) => {
  expect(isUsableTimestamp(value)).toBe(expected);
});
