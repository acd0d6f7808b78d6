import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const document = readFileSync('docs/architecture.md', 'utf8');

/** The rows of the table of parts: what, and the files that do it. */
const parts = document
  .split('## Where things are')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => /^\| [^-P]/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, part, where]) => [part!, [...where!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!)] as const);

const packages = parts
  .filter(([part]) => part.startsWith('`'))
  .map(([part, files]) => [part.slice(1, -1), files] as const);

describe('the table of parts', () => {
  it('names every package of the platform', () => {
    expect(packages.map(([name]) => name)).toEqual([
      '@nestjs/core',
      '@nestjs/common',
      '@nestjs/platform-express',
      '@nestjs/typeorm',
      'typeorm',
      'mysql2',
      'class-validator',
      'class-transformer',
      'passport',
      'passport-http-bearer',
      'passport-http',
    ]);
  });

  it.each(parts)('names files of %s that are there', (_part, files) => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it.each(packages)('names files that import %s', (name, files) => {
    const sources = files.filter((file) => file.endsWith('.ts'));
    const lacksIt = (file: string) => !new RegExp(`from '${name}['/]`).test(readFileSync(file, 'utf8'));
    expect(sources.filter(lacksIt)).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });
});

const reaches = document
  .split('### Reaching into libraries')[1]!
  .split('\n#')[0]!
  .split('\n')
  .filter((line) => /^\| `/.test(line))
  .map((line) => [...line.matchAll(/`([\w/.-]+\.(?:ts|mjs))`/g)].map(([, file]) => file!) as [string, string]);

describe('the table of reaches', () => {
  it.each(reaches)('names %s and its test %s, which are there', (file, test) => {
    expect([file, test].filter((path) => !existsSync(path) && !existsSync(join('src', path)))).toEqual([]);
  });

  it('has rows', () => {
    expect(reaches.length).toBeGreaterThan(3);
  });
});

const drawn = [...document.matchAll(/^ {2}(\S+) --> (\S+)$/gm)].map(([, from, to]) => [from!, to!] as const);

/** The folder that a file below `src` belongs to; undefined for the entries and what only the build runs. */
function roomOf(file: string): string | undefined {
  const [room, inner] = file.split('/');
  return inner === undefined ? undefined : room;
}

function importsBetweenRooms(): (readonly [string, string])[] {
  const found = new Map<string, readonly [string, string]>();
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const from = file.endsWith('.ts') ? roomOf(file) : undefined;
    if (!from) continue;
    for (const [, path] of readFileSync(join('src', file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const to = roomOf(join(dirname(file), path!));
      if (to && to !== from) found.set(`${from} ${to}`, [from, to]);
    }
  }
  return [...found.values()];
}

function isReachable(from: string, to: string): boolean {
  return drawn.some(([start, end]) => start === from && (end === to || isReachable(end, to)));
}

describe('the drawing of the folders', () => {
  const imports = importsBetweenRooms();

  it('shows nothing that is not imported', () => {
    const known = new Set(imports.map((edge) => edge.join(' ')));
    expect(drawn.filter((edge) => !known.has(edge.join(' ')))).toEqual([]);
  });

  it('shows every import, as one arrow or several', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.filter(([from, to]) => !isReachable(from, to))).toEqual([]);
  });
});

/** The schema itself, whether there is one, checks by doctor and of a copied file, and counts with their clock in one statement. */
const MAY_NAME_ACCOUNTS =
  /^database\/(migrations|entities)\/|^database\/database\.ts$|^commands\/(backup\.commands|doctor\/records\.store)\.ts$|^articles\/store\/conditions\.ts$/;

describe('SQL on accounts', () => {
  it('is in src/accounts', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file));
    const naming = files.filter((file) =>
      /\b(FROM|INTO|UPDATE|JOIN) accounts\b/.test(readFileSync(join('src', file), 'utf8')),
    );
    expect(naming).toContain('accounts/tick.ts');
    expect(naming.filter((file) => !file.startsWith('accounts/') && !MAY_NAME_ACCOUNTS.test(file))).toEqual([]);
  });
});
