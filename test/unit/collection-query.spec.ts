import { describe, expect, it } from 'vitest';
import {
  includesTombstones,
  type Operator,
  parseCollectionQuery,
  parseDeleteQuery,
} from '../../src/protocol/collection-query.js';
import { type FieldValue, type Kind, KINDS, QUERY_FIELDS, type QueryField } from '../../src/protocol/fields.js';
import { refusal } from './refusal.js';

const FIELDS = Object.keys(QUERY_FIELDS) as QueryField[];
const DEFAULT_SORT = [{ field: 'last_modified', descending: true }];

const SAMPLES: Record<Kind['type'], [string, FieldValue]> = {
  boolean: ['true', true],
  number: ['42', 42],
  text: ['text', 'text'],
};
const sample = (field: QueryField) => SAMPLES[KINDS[QUERY_FIELDS[field]].type];

describe('a filter', () => {
  const prefixes: [string, Operator][] = [
    ['', 'eq'],
    ['min_', 'min'],
    ['max_', 'max'],
    ['gt_', 'gt'],
    ['lt_', 'lt'],
    ['not_', 'not'],
  ];
  const cases = prefixes.flatMap(([prefix, operator]) =>
    FIELDS.map((field) => [prefix + field, operator, field] as const),
  );

  it.each(cases)('%s compares by %s with %s', (name, operator, field) => {
    const [text, value] = sample(field);
    expect(parseCollectionQuery(`${name}=${text}`).filters).toEqual([{ field, operator, value }]);
  });

  it.each([
    ['_since', 'gt'],
    ['_to', 'lt'],
  ])('%s compares by %s with last_modified', (name, operator) => {
    const filter = { field: 'last_modified', operator, value: 5 };
    expect(parseCollectionQuery(`${name}=5`).filters).toEqual([filter]);
  });

  it.each([
    ['title=a%20b', 'a b'],
    ['title=a+b', 'a b'],
    ['title=a%2Bb', 'a+b'],
    ['title=%F0%9F%98%80', '😀'],
    ['t%69tle=x', 'x'],
    ['title=a=b', 'a=b'],
    ['title=', ''],
    ['title', ''],
    ['title=%26', '&'],
    ['title=%00', '\0'],
    ['title=null', 'null'],
  ])('is decoded from %s', (search, value) => {
    expect(parseCollectionQuery(search).filters).toEqual([{ field: 'title', operator: 'eq', value }]);
  });

  it('may be given many times, and all count', () => {
    expect(parseCollectionQuery('min_word_count=1&min_word_count=2&max_word_count=9').filters).toHaveLength(3);
  });

  it.each([
    ['', 0],
    ['&', 0],
    ['&&&', 0],
    ['unread=1&', 1],
    ['&unread=1&&archived=0', 2],
  ])('in %j is found without the empty parts', (search, count) => {
    expect(parseCollectionQuery(search).filters).toHaveLength(count);
  });

  it.each([
    '_unknown=1',
    '_=1',
    '_SINCE=x',
    '__proto__=1',
    '_fields=a&_fields=b',
    '_constructor',
    '_utm=%zz',
    '_%zz=1',
  ])('is not a parameter with a leading underscore: %s', (search) => {
    expect(parseCollectionQuery(search)).toEqual({ filters: [], sort: DEFAULT_SORT });
  });

  it.each([
    'colour=1',
    'Unread=true',
    'min_colour=1',
    'min=1',
    'min_=1',
    'gt__since=1',
    'min_min_word_count=1',
    'not_not_unread=1',
    'like_title=a',
    'in_id=a',
    'constructor=1',
    'toString=1',
    'hasOwnProperty',
    'title[]=a',
    'title[a]=b',
    'title.x=b',
    '%20title=a',
    '=x',
    'unread=true;archived=false',
  ])('with an unknown field is refused: %s', (search) => {
    const name = decodeURIComponent(search.split('=')[0]!);
    expect(refusal(() => parseCollectionQuery(search))).toMatchObject({ code: 400, errno: 107 });
    expect(refusal(() => parseCollectionQuery(search)).message.startsWith(`${name}: `)).toBe(true);
  });

  it.each([
    ['unread=maybe', 'unread: not a boolean'],
    ['not_unread=', 'not_unread: not a boolean'],
    ['min_word_count=many', 'min_word_count: not an integer'],
    ['read_position=', 'read_position: not an integer'],
    ['_since=', '_since: not an integer'],
    ['_since=yesterday', '_since: not an integer'],
    ['_to=1.5', '_to: not an integer'],
    ['gt_last_modified=9007199254740992', 'gt_last_modified: integer out of range'],
    ['title=%zz', 'title: malformed percent-encoding'],
    ['title=%', 'title: malformed percent-encoding'],
    ['title=%ED%A0%80', 'title: malformed percent-encoding'],
    ['title=%C3', 'title: malformed percent-encoding'],
    ['%zz=1', '%zz: malformed percent-encoding'],
  ])('with a wrong value is refused: %s', (search, message) => {
    expect(refusal(() => parseCollectionQuery(search))).toEqual({ code: 400, errno: 107, message });
  });

  it.each([
    ['zebra=1&unread=x&archived=x', 'archived'],
    ['zebra=1&_sort=colour&unread=x', '_sort'],
    ['_sort=colour&_limit=0', '_limit'],
    ['_limit=0&_to=1&_to=2', '_limit'],
    ['_to=1&_to=2&Title=a', 'Title'],
    ['title=%zz&_since=x', '_since'],
    ['zebra=%zz&unread=%', 'unread'],
    ['_limit=0&%zz=1', '%zz'],
  ])('is refused for the first name in alphabetical order: %s', (search, name) => {
    expect(refusal(() => parseCollectionQuery(search)).message.startsWith(`${name}: `)).toBe(true);
  });

  it('is one of at most thirty', () => {
    const search = (count: number) => Array.from({ length: count }, (_, at) => `not_title=${at}`).join('&');
    expect(parseCollectionQuery(search(30)).filters).toHaveLength(30);
    expect(refusal(() => parseCollectionQuery(search(31)))).toEqual({
      code: 400,
      errno: 107,
      message: 'title: more than 30 filters',
    });
  });

  it('is one of at most a thousand parameters with percent-encoding', () => {
    const search = (count: number) => Array(count).fill('_%61').join('&');
    expect(parseCollectionQuery(search(1_000)).filters).toEqual([]);
    expect(refusal(() => parseCollectionQuery(search(1_001))).message).toBe(
      'query: more than 1000 parameters with percent-encoding',
    );
  });
});

describe('tombstones', () => {
  it.each([
    ['', false],
    ['unread=true', false],
    ['deleted=true', false],
    ['_sort=last_modified', false],
    ['_since=0', true],
    ['_to=5', true],
    ['last_modified=5', true],
    ['min_last_modified=5', true],
    ['max_last_modified=5', true],
    ['gt_last_modified=5', true],
    ['lt_last_modified=5', true],
    ['not_last_modified=5', true],
    ['unread=true&_since=0', true],
  ])('of %j are listed: %s', (search, expected) => {
    expect(includesTombstones(parseCollectionQuery(search).filters)).toBe(expected);
  });
});

/** Filtered on `last_modified`, by whichever parameter: what happened first comes first. */
const DELTAS = [
  '_since',
  '_to',
  ...['', 'gt_', 'lt_', 'min_', 'max_', 'not_'].map((prefix) => `${prefix}last_modified`),
].map((name) => `${name}=5`);

describe('a sort', () => {
  it.each([
    ['', [['last_modified', 'descending'], null]],
    ['_sort=', [['last_modified', 'descending'], null]],
    ['unread=true', [['last_modified', 'descending'], null]],
    ...DELTAS.map((search): [string, [string, string][]] => [search, [['last_modified', 'ascending']]]),
    ['_since=5&_sort=', [['last_modified', 'ascending'], null]],
    ['_since=5&_sort=-last_modified', [['last_modified', 'descending'], null]],
    ['_sort=%20', [['last_modified', 'descending'], null]],
    ['_sort=-last_modified', [['last_modified', 'descending'], null]],
    ['_sort=last_modified', [['last_modified', 'ascending'], null]],
    [
      '_sort=title',
      [
        ['title', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=-title',
      [
        ['title', 'descending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=unread',
      [
        ['unread', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=-unread',
      [
        ['unread', 'descending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=deleted',
      [
        ['deleted', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    ['_sort=id', [['id', 'ascending'], null]],
    ['_sort=-id', [['id', 'descending'], null]],
    [
      '_sort=title,-word_count',
      [
        ['title', 'ascending'],
        ['word_count', 'descending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=%20title%20,%20-word_count',
      [
        ['title', 'ascending'],
        ['word_count', 'descending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=title,title',
      [
        ['title', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=title,-title',
      [
        ['title', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    ['_sort=-last_modified,title', [['last_modified', 'descending'], null]],
    [
      '_sort=title,id,url',
      [
        ['title', 'ascending'],
        ['id', 'ascending'],
      ],
    ],
    [
      '_sort=title,-last_modified,url',
      [
        ['title', 'ascending'],
        ['last_modified', 'descending'],
      ],
    ],
  ] as [string, ([string, string] | null)[]][])('%j is a total order', (search, keys) => {
    const sort = keys
      .filter((key) => key !== null)
      .map(([field, way]) => ({ field, descending: way === 'descending' }));
    expect(parseCollectionQuery(search).sort).toEqual(sort);
  });

  it.each(FIELDS)('names %s', (field) => {
    expect(parseCollectionQuery(`_sort=-${field}`).sort[0]!.field).toBe(field);
  });

  it.each([
    ['colour', '"colour"'],
    ['Title', '"Title"'],
    ['%2Btitle', '"+title"'],
    ['--title', '"-title"'],
    ['-', '""'],
    [',', '""'],
    ['title,', '""'],
    [',title', '""'],
    ['title,,url', '""'],
    ['title url', '"title url"'],
    ['_since', '"_since"'],
    ['constructor', '"constructor"'],
    ['title%00', '"title\\u0000"'],
  ])('that is malformed is refused: %s', (text, field) => {
    const message = `_sort: unknown field ${field}`;
    expect(refusal(() => parseCollectionQuery(`_sort=${text}`))).toEqual({ code: 400, errno: 107, message });
  });

  it('is quoted in part only when it is long', () => {
    expect(refusal(() => parseCollectionQuery(`_sort=${'x'.repeat(1000)}`)).message.length).toBeLessThan(100);
  });
});

describe('a limit', () => {
  it.each([
    ['1', 1],
    ['100', 100],
    ['9007199254740991', 9007199254740991],
    ['%205%20', 5],
    ['0007', 7],
    ['9007199254740992', 9007199254740992],
    ['9'.repeat(400), Infinity],
  ])('%s is %i', (text, limit) => {
    expect(parseCollectionQuery(`_limit=${text}`).limit).toBe(limit);
  });

  it.each(['', '0', '-1', '-0', '1.5', '1e2', 'ten', 'Infinity', '0x10', '+', '%00'])('%j is refused', (text) => {
    expect(refusal(() => parseCollectionQuery(`_limit=${text}`))).toEqual({
      code: 400,
      errno: 107,
      message: '_limit: not an integer >= 1',
    });
  });
});

describe('a token', () => {
  it.each([
    ['', undefined],
    ['_token=', undefined],
    ['_token=abc', 'abc'],
    ['_token=a%2Bb', 'a+b'],
  ])('of %j is %j', (search, token) => {
    expect(parseCollectionQuery(search).token).toBe(token);
  });
});

describe('a parameter that counts once', () => {
  it.each(['_since', '_to', '_sort', '_limit', '_token'])('%s is refused when it is repeated', (name) => {
    expect(refusal(() => parseCollectionQuery(`${name}=1&unread=1&${name}=1`))).toEqual({
      code: 400,
      errno: 107,
      message: `${name}: given more than once`,
    });
  });

  it('is recognised in any spelling', () => {
    expect(refusal(() => parseCollectionQuery('_since=1&%5Fsince=2')).message).toBe('_since: given more than once');
  });
});

describe('the query of a collection DELETE', () => {
  it('takes filters', () => {
    const filters = [
      { field: 'last_modified', operator: 'gt', value: 5 },
      { field: 'unread', operator: 'eq', value: false },
    ];
    expect(parseDeleteQuery('unread=false&_since=5&_unknown=1')).toEqual(filters);
  });

  it.each(['_limit=5', '_limit=', '_limit', '_sort=title', '_sort=', '_token=x', '_token=', '%5flimit=5'])(
    'refuses %s',
    (search) => {
      const name = /sort|limit|token/.exec(search)![0];
      const message = `_${name}: not allowed in a DELETE`;
      expect(refusal(() => parseDeleteQuery(`unread=true&${search}`))).toEqual({ code: 400, errno: 107, message });
    },
  );

  it.each([
    ['_sort=title&_limit=5', '_limit: not allowed in a DELETE'],
    ['_sort=title&_since=x', '_since: not an integer'],
    ['_limit=5&Title=a', 'Title: unknown field'],
  ])('is refused for the first name in alphabetical order: %s', (search, message) => {
    expect(refusal(() => parseDeleteQuery(search)).message).toBe(message);
  });

  it('refuses what a listing refuses', () => {
    expect(refusal(() => parseDeleteQuery('colour=1')).message).toBe('colour: unknown field');
  });
});
