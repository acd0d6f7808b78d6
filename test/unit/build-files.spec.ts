import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface BuildFile {
  entryFile: string;
  compilerOptions: { tsConfigPath: string; outDir: string };
  main: string;
  scripts: { dev: string };
}

const json = (path: string): BuildFile => JSON.parse(readFileSync(path, 'utf8')) as BuildFile;

it('the Nest CLI compiles the sources to where npm run dev does, not beside the bundle of npm run build, which it would leave old', () => {
  const { entryFile, compilerOptions } = json('nest-cli.json');
  const { main, scripts } = json('package.json');
  const { outDir } = json(compilerOptions.tsConfigPath).compilerOptions;
  expect(`dist/${entryFile}.js`).toBe(main);
  expect(scripts.dev).toContain(` ${outDir}/`);
  expect(existsSync(`${entryFile}.ts`)).toBe(true);
});

it('all images have the newest long-term support release of Node on which the tests run', () => {
  const [version] = /(?<=const VERSIONS = \[')[\d.]+/.exec(readFileSync('scripts/node-versions.mjs', 'utf8'))!;
  for (const path of ['Dockerfile', 'deploy/identity-provider.Dockerfile']) {
    const images = readFileSync(path, 'utf8').match(/^FROM node:\S+/gm);
    expect(new Set(images)).toEqual(new Set([`FROM node:${version}-bookworm-slim`]));
  }
  expect(readFileSync('README.md', 'utf8')).toContain(`Node.js](https://nodejs.org) ${version.split('.')[0]} (LTS)`);
});
