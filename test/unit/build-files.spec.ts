import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface BuildFile {
  entryFile: string;
  compilerOptions: { tsConfigPath: string };
  main: string;
  scripts: { build: string };
}

const json = (path: string): BuildFile => JSON.parse(readFileSync(path, 'utf8')) as BuildFile;

it('the Nest CLI compiles the sources that npm run build compiles, to the same place', () => {
  const { entryFile, compilerOptions } = json('nest-cli.json');
  const { main, scripts } = json('package.json');
  expect(`dist/${entryFile}.js`).toBe(main);
  expect(scripts.build).toContain(compilerOptions.tsConfigPath);
  expect(existsSync(`${entryFile}.ts`)).toBe(true);
});

it('the same version of Node is named everywhere', () => {
  const version = readFileSync('.nvmrc', 'utf8').trim();
  const images = readFileSync('Dockerfile', 'utf8').match(/^FROM node:\S+/gm)!;
  expect(new Set(images)).toEqual(new Set([`FROM node:${version}-bookworm-slim`]));
});
