import { describe, expect, it } from 'vitest';
import { Invalid, readQueryValue } from '../../src/protocol/field-values.js';
import { FIELD_NAMES, type Kind, KINDS, QUERY_FIELDS, type QueryField } from '../../src/protocol/fields.js';

const MAX = Number.MAX_SAFE_INTEGER;
/** All but ids. */
const fieldsOf = (type: Kind['type']): QueryField[] =>
  (Object.keys(QUERY_FIELDS) as QueryField[]).filter(
    (field) => field !== 'id' && KINDS[QUERY_FIELDS[field]].type === type,
  );

describe('what a query names', () => {
  it('are the fields of an article and "deleted"', () => {
    expect(Object.keys(QUERY_FIELDS)).toEqual([...FIELD_NAMES, 'deleted']);
  });
});

describe.each(fieldsOf('boolean'))('%s', (field) => {
  it.each(['true', 'TRUE', 'True', '1', 'yes', 'Yes', 'on', 'ON'])('is true for %j', (text) => {
    expect(readQueryValue(field, text)).toBe(true);
  });

  it.each(['false', 'FALSE', 'False', '0', 'no', 'No', 'off', 'OFF'])('is false for %j', (text) => {
    expect(readQueryValue(field, text)).toBe(false);
  });

  it.each([' true', 'maybe', '2', 't', 'null', '__proto__'])('cannot be %j', (text) => {
    expect(readQueryValue(field, text)).toEqual(new Invalid('not a boolean'));
  });
});

describe.each(fieldsOf('number'))('%s', (field) => {
  it.each([
    ['0', 0],
    ['42', 42],
    ['-42', -42],
    ['007', 7],
    [' 42 ', 42],
    [String(MAX), MAX],
    [String(-MAX), -MAX],
  ])('is a number for %j', (text, number) => {
    expect(readQueryValue(field, text)).toBe(number);
  });

  it.each(['1.5', '1e3', '0x10', '+1', '--1', 'abc', ' ', '1 2', 'null'])('cannot be %j', (text) => {
    expect(readQueryValue(field, text)).toEqual(new Invalid('not an integer'));
  });

  it.each([String(MAX + 1), String(-MAX - 1), '9'.repeat(400)])('is out of range at %j', (text) => {
    expect(readQueryValue(field, text)).toEqual(new Invalid('integer out of range'));
  });
});

describe('an empty value', () => {
  it.each<QueryField>(['word_count', 'preview', 'marked_read_by', 'marked_read_on'])('of %s is null', (field) => {
    expect(readQueryValue(field, '')).toBeNull();
  });

  it.each<QueryField>(['url', 'title', 'resolved_url', 'resolved_title', 'excerpt', 'added_by', 'id'])(
    'of %s is the empty text',
    (field) => {
      expect(readQueryValue(field, '')).toBe('');
    },
  );

  it.each<QueryField>(['archived', 'favorite', 'is_article', 'unread', 'deleted'])(
    'of %s is not a boolean',
    (field) => {
      expect(readQueryValue(field, '')).toEqual(new Invalid('not a boolean'));
    },
  );

  it.each<QueryField>(['last_modified', 'added_on', 'stored_on', 'read_position'])(
    'of %s is not an integer',
    (field) => {
      expect(readQueryValue(field, '')).toEqual(new Invalid('not an integer'));
    },
  );
});

describe.each(fieldsOf('text'))('%s', (field) => {
  it.each(['42', 'true', ' pad ', 'CaSe', '😀', 'not a url'])('is %j as it stands', (text) => {
    expect(readQueryValue(field, text)).toBe(text);
  });
});

describe('an id', () => {
  it('is in lower case', () => {
    expect(readQueryValue('id', 'AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE')).toBe('aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee');
  });

  it('may be no UUID', () => {
    expect(readQueryValue('id', '42')).toBe('42');
  });
});

it('never reads a negative zero', () => {
  expect(readQueryValue('word_count', '-0')).toBe(0);
});
