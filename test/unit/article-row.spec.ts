import { expect, it } from 'vitest';
import { articleOf } from '../../src/articles/store/article.row.js';

it.each([
  [1, true],
  [0, false],
  [null, null],
])('a boolean stored as %j is %j, so that an article may be older than a field', (stored, shown) => {
  const row = { id_digits: '6c5f1f0e8a5b4a3e9d390b6f6a3c2a11', deleted: 0, archived: stored };
  expect(articleOf(row)!.archived).toBe(shown);
});
