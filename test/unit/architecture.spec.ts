import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it.each(packages)('names a file that imports %s', (name, files) => {
    const isImported = files.some((file) => readFileSync(file, 'utf8').includes(`from '${name}'`));
    expect(isImported).toBe(true);
  });
});

const reaches = document
  .split('### Where it reaches')[1]!
  .split('\n#')[0]!
  .split('\n')
  .filter((line) => /^\| `/.test(line))
  .map((line) => [...line.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, file]) => file!) as [string, string]);

describe('the table of reaches', () => {
  it.each(reaches)('names %s and its test %s, which are there', (file, test) => {
    expect([join('src', file), test].filter((path) => !existsSync(path))).toEqual([]);
  });

  it('has rows', () => {
    expect(reaches.length).toBeGreaterThan(3);
  });
});

const arrows = [...document.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from, to]) => [from!, to!] as const);

describe('the drawing of layers', () => {
  it.each(arrows)('shows that %s imports %s', (from, to) => {
    const files = readdirSync(join('src', from), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.ts$/.test(file),
    );
    const isImported = files.some((file) => readFileSync(join('src', from, file), 'utf8').includes(`../${to}/`));
    expect(isImported).toBe(true);
  });

  it('has arrows', () => {
    expect(arrows.length).toBeGreaterThan(10);
  });
});

/** The schema itself, whether there is one, the check of a copied file (there is no session), and counts with their clock in one statement. */
const MAY_NAME_ACCOUNTS =
  /^database\/(migrations|entities)\/|^database\/probe\.ts$|^commands\/sqlite-copy\.ts$|^articles\/store\/page-statement\.ts$/;

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
