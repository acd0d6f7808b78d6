import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import openapiTS, { astToString } from 'openapi-typescript';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { PATCHED, POSTED } from '../../src/fields.js';

interface Schemas {
  components: { schemas: Record<'NewArticle' | 'ArticlePatch', { properties: object }> };
}

const ROOT = resolve(import.meta.dirname, '../..');
const OPENAPI = resolve(ROOT, '../../dist/openapi.json');
const folder = mkdtempSync(join(tmpdir(), 'reading-list-package-'));
let tarball: string;
let project: string;

beforeAll(() => {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  tarball = join(folder, 'reading-list-client-2.0.0.tgz');
  project = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "version": "1.0.0", "type": "module" }');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, 'classic-level@3.0.0'];
  execFileSync('npm', install, { cwd: project, stdio: 'pipe' });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has types that are generated from the service as it is', async () => {
  const document = pathToFileURL(OPENAPI);
  const generated = astToString(await openapiTS(document));
  expect(readFileSync(join(ROOT, 'src/openapi.ts'), 'utf8').replace(/^\/\*\*[^]*?\*\/\n+/, '')).toBe(generated);
});

it('knows the fields that the service takes', () => {
  const document = JSON.parse(readFileSync(OPENAPI, 'utf8')) as Schemas;
  const { NewArticle, ArticlePatch } = document.components.schemas;
  expect(POSTED).toEqual(Object.keys(NewArticle.properties));
  expect(PATCHED).toEqual(Object.keys(ArticlePatch.properties));
});

it('is what publint and attw want a package to be', async () => {
  const { messages } = await publint({ pkgDir: ROOT, strict: true });
  expect(messages).toEqual([]);
  const attw = resolve(ROOT, '../../test/tools/node_modules/@arethetypeswrong/cli/dist/index.js');
  // It has no CommonJS form, and does not pretend to.
  execFileSync(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-emoji'], {
    encoding: 'utf8',
  });
});

it('is code and types, and nothing else', () => {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  expect(
    files.filter((file) => !/^package\/(package\.json|README\.md|LICENSE|dist\/[\w/-]+\.(js|d\.ts))$/.test(file)),
  ).toEqual([]);
  expect(files).toContain('package/dist/index.d.ts');
});

it('has a core of at most 14 kB, minified and compressed', async () => {
  const bundle = await rolldown({
    input: join(project, 'node_modules/@reading-list/client/dist/index.js'),
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  const code = output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
  expect(code).not.toContain('indexedDB');
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(14 * 1024);
});

it('gives an empty project its types, with and without those of browsers', () => {
  writeFileSync(
    join(project, 'main.ts'),
    `import { type Conflict, createClient, type LocalArticle, openReadingList, type ReadingList, ReadingListError, type Storage } from '@reading-list/client';
import { fileStorage } from '@reading-list/client/file';
import { indexedDbStorage } from '@reading-list/client/indexeddb';
import { openApiClient } from '@reading-list/client/http';
import { memoryStorage } from '@reading-list/client/memory';
import { storageTests } from '@reading-list/client/storage-suite';

const storages: Storage[] = [memoryStorage(), fileStorage('x'), indexedDbStorage('x')];
const client = createClient({ baseUrl: 'https://list.example.com', authorization: () => Promise.resolve('Bearer x'), fetch });
export const list: ReadingList = await openReadingList({ client, storage: storages[0]!, device: 'd', now: () => 1 });
const article: LocalArticle = await list.add({ url: 'https://example.com/', title: null });
export const title: string | null = article.title;
// @ts-expect-error an article has no such field
article.nonsense;
list.on('conflict', (conflict: Conflict) => conflict.lost.title);
list.on('status', (status) => status === 'signed-out');
export const stop: () => void = list.subscribe({ unread: true, order: 'title', limit: 5 }, (articles) => articles[0]?.key);
const found = await openApiClient(client).GET('/v2/articles/{id}', { params: { path: { id: 'x' } } });
export const count: number | undefined = found.data?.read_position;
for (const { name, run } of storageTests({ create: memoryStorage, reopen: (storage) => storage })) await run().catch(() => name);
export const isOurs = (error: unknown): boolean => error instanceof ReadingListError && error.kind === 'busy';
`,
  );
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const common = ['--noEmit', '--strict', '--target', 'es2022', '--exactOptionalPropertyTypes'];
  for (const options of [
    ['--module', 'nodenext'],
    ['--module', 'preserve', '--moduleResolution', 'bundler'],
  ])
    execFileSync(
      process.execPath,
      [tsc, ...common, '--lib', 'es2023,dom,dom.iterable', '--skipLibCheck', ...options, 'main.ts'],
      {
        cwd: project,
        encoding: 'utf8',
      },
    );
});

it('does what the ten lines of its README say', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const lines = /```js\n([^]*?)```/.exec(readme)![1]!;
  expect(lines.trim().split('\n').filter(Boolean).length).toBeLessThanOrEqual(10);
  const port = (await isFree(8000)) ? '8000' : '0';
  const service = await startService({ DATABASE_URL: 'sqlite::memory:', PORT: port });
  try {
    writeFileSync(join(project, 'main.js'), lines.replace('http://127.0.0.1:8000', service.url));
    expect(execFileSync(process.execPath, ['main.js'], { cwd: project, encoding: 'utf8' })).toBe(
      "[ 'How to make tea: read' ]\n",
    );
    const headers = { authorization: `Basic ${btoa('me:secret')}` };
    const { items } = (await (await fetch(`${service.url}/v2/articles`, { headers })).json()) as { items: object[] };
    expect(items).toMatchObject([{ url: 'https://example.com/tea', unread: false, added_by: 'laptop' }]);
  } finally {
    await service.stop();
  }
});

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const server = createServer();
    server.once('error', () => done(false)).listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
