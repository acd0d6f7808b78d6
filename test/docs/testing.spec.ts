import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('docs/testing.md says what each API spec covers', () => {
  const listed = [...readFileSync('docs/testing.md', 'utf8').matchAll(/^\| .+ \| `test\/api\/(.+\.spec\.ts)` *\|$/gm)];
  const specs = readdirSync('test/api').filter((name) => name.endsWith('.spec.ts'));
  expect(listed.map(([, name]) => name).sort()).toEqual(specs.sort());
});
