import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../../src/protocol/api-error.js';
import { parseCollectionQuery, parseDeleteQuery } from '../../src/protocol/collection-query.js';
import { KINDS, QUERY_FIELDS } from '../../src/protocol/fields.js';

const FIELDS = Object.keys(QUERY_FIELDS) as (keyof typeof QUERY_FIELDS)[];
const OPERATORS = ['eq', 'min', 'max', 'gt', 'lt', 'not'] as const;

const piece = fc.constantFrom(
  ...FIELDS,
  ...OPERATORS.map((operator) => `${operator}_`),
  ...[
    '_since',
    '_to',
    '_sort',
    '_limit',
    '_token',
    '=',
    '&',
    '%',
    '%zz',
    '%00',
    '+',
    ',',
    '-',
    '1',
    'true',
    '😀',
    '\ud800',
  ],
);
const hostile = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
  fc.webQueryParameters(),
);

it('parses any text or refuses it with 400 / 107', () => {
  fc.assert(
    fc.property(hostile, (search) => {
      for (const parse of [parseCollectionQuery, parseDeleteQuery])
        try {
          parse(search);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ status: 400, errno: 107 });
        }
    }),
    { numRuns: 2000 },
  );
});

it('always gives a total order', () => {
  const sort = fc.array(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...FIELDS)), { maxLength: 6 });
  fc.assert(
    fc.property(sort, (keys) => {
      const parsed = parseCollectionQuery(`_sort=${keys.map(([sign, field]) => sign + field).join(',')}`).sort;
      const fields = parsed.map(({ field }) => field);
      expect(new Set(fields).size).toBe(fields.length);
      expect(['id', 'last_modified']).toContain(fields.at(-1));
      for (const { field, descending } of parsed.slice(0, -1)) {
        const sign = keys.find(([, name]) => name === field)![0];
        expect(descending).toBe(sign === '-');
      }
    }),
  );
});

/** A parameter together with the filter it means. */
const parameter = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.constantFrom(...FIELDS), fc.maxSafeInteger(), fc.boolean(), fc.string())
  .map(([operator, field, number, flag, text]) => {
    const kind = QUERY_FIELDS[field];
    const value = { boolean: flag, number, text: `x${text}` }[KINDS[kind].type];
    const name = operator === 'eq' ? field : `${operator}_${field}`;
    const expected = { field, operator, value: kind === 'uuid' ? String(value).toLowerCase() : value };
    return { name, text: `${name}=${encodeURIComponent(value)}`, expected };
  });

it('reads every filter, and only those', () => {
  fc.assert(
    fc.property(fc.array(parameter, { maxLength: 20 }), (parameters) => {
      const search = ['_ignored=1', ...parameters.map(({ text }) => text), '_limit=5'].join('&');
      const byName = parameters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      expect(parseCollectionQuery(search).filters).toEqual(byName.map(({ expected }) => expected));
    }),
  );
});
