import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, Settings, valueOf } from '../../src/config/settings.js';
import { commandNames } from './run-command.js';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('docs/operations.md', () => {
  const text = read('docs/operations.md');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));

  it.each(SETTING_NAMES)('has a row for %s with its default', (name) => {
    const row = rows.find((line) => line.split('|')[1]!.includes(`\`${name}\``));
    expect(row, 'npm run settings:write adds it').toBeDefined();
    const value = valueOf(new Settings(), name);
    if (value !== undefined) expect(row).toContain(String(value));
  });

  it.each(commandNames())('has a row for the command %s', (name) => {
    const hasRow = rows.some((line) => line.startsWith(`| \`${name}\` `));
    expect(hasRow, `"Commands" has no row that begins with \`${name}\``).toBe(true);
  });

  it('names only files that exist', () => {
    for (const [path] of text.matchAll(/\b(?:dist\/)?(?:deploy|scripts|test|docs|src)\/[\w./-]*\w/g))
      expect(existsSync(path), path).toBe(true);
  });
});

describe('docs/security.md', () => {
  it('names only tests that exist', () => {
    const references = [...read('docs/security.md').matchAll(/`(test\/[\w./-]+\.spec\.ts)`((?:,? "[^"]+")+)/g)];
    expect(references.length).toBeGreaterThan(30);
    for (const [, file, names] of references)
      for (const [, name] of names!.matchAll(/"([^"]+)"/g)) expect(read(file!), `${file}: ${name}`).toContain(name);
  });
});

describe('docs/dependencies.md', () => {
  it('gives a reason for each dependency, and for no other', () => {
    const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` +\| (\S.*\S) +\|$/gm)];
    const given = ['package.json', 'test/tools/package.json'].flatMap((path) => {
      const { dependencies, devDependencies = {} } = JSON.parse(read(path)) as Record<string, Record<string, string>>;
      return [...Object.keys(dependencies!).sort(), ...Object.keys(devDependencies).sort()];
    });
    expect(rows.map(([, name]) => name)).toEqual(given);
  });
});

it('package.json pins every version', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/);
});

it('the software bill of materials can be written from the lock file', () => {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
  const text = execFileSync('npm', words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
  const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { name: string }[] };
  expect(bomFormat).toBe('CycloneDX');
  expect(components.map(({ name }) => name)).toContain('pino');
  expect(components.map(({ name }) => name)).not.toContain('vitest');
});
