import { expect, it } from 'vitest';
import { valueExpression } from '../../src/articles/store/article.row.js';
import type { Field } from '../../src/protocol/fields.js';

it.each<[Field, number | null, boolean | null]>([
  [{ kind: 'boolean' }, 1, true],
  [{ kind: 'boolean' }, 0, false],
  [{ kind: 'boolean', nullable: true }, 1, true],
  [{ kind: 'boolean', nullable: true }, 0, false],
  [{ kind: 'boolean', nullable: true }, null, null],
])('a field %j that is stored as %j is %j', (field, stored, shown) => {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- as the service compiles it
  const read = new Function('row', `return ${valueExpression('shared', field)};`) as (row: object) => unknown;
  expect(read({ shared: stored })).toBe(shown);
});
