import { describe, expect, it } from 'vitest';
import { parseCollectionQuery, mustStartOver } from '../../src/protocol/collection-query.js';

const PURGED_UNTIL = 1000;

describe('a device has to start over', () => {
  it.each([
    ['_since=999', true],
    ['gt_last_modified=1', true],
    ['min_last_modified=1000', true],
    ['last_modified=1000', true],
    ['_since=5&unread=true', true],
    ['_since=5&_to=2000', true],
    ['_since=1000', false],
    ['_since=1001', false],
    ['min_last_modified=1001', false],
    ['last_modified=1001', false],
    ['_since=5&gt_last_modified=1000', false],
    ['_since=0', false],
    ['_since=-5', false],
    ['_to=5', false],
    ['max_last_modified=5', false],
    ['not_last_modified=5', false],
    ['unread=true', false],
    ['min_added_on=5', false],
    ['', false],
  ])('after a purge up to 1000, when it asks for "%s": %s', (search, expected) => {
    expect(mustStartOver(parseCollectionQuery(search).filters, PURGED_UNTIL)).toBe(expected);
  });

  it('never while nothing was purged', () => {
    expect(mustStartOver(parseCollectionQuery('_since=5').filters, 0)).toBe(false);
  });
});
