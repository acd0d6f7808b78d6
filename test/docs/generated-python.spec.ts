import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { runCommand } from '../support/servers/command.js';
import { ensureDebianPackages } from '../support/servers/packages.js';
import { createScratchFolder } from '../support/servers/scratch-folder.js';
import { CONTRACT } from './document.js';

// Another language than that of the service, and another generator: classes of every schema, in Python.
const PYTHON = '/usr/bin/python3';

const classesOf = async (document: string): Promise<string> => {
  const schemas = new JSONSchemaInput(undefined);
  await schemas.addSource({ name: 'ReadingList', schema: document, uris: ['#/components/schemas/'] });
  const inputData = new InputData();
  inputData.addInput(schemas);
  return (await quicktype({ inputData, lang: 'python' })).lines.join('\n');
};

const scratch = createScratchFolder();
let app: TestAppWithProvider;

beforeAll(async () => {
  // What the generated module imports to read dates is not in Python itself.
  await ensureDebianPackages({
    [PYTHON]: 'python3',
    '/usr/lib/python3/dist-packages/dateutil': 'python3-dateutil',
  });
  app = await startAppWithProvider();
});
afterAll(async () => {
  await app.close();
  scratch.remove();
});

it('classes generated in Python write what a device sends, and read what the service answers', async () => {
  writeFileSync(join(scratch.path, 'reading_list.py'), await classesOf(CONTRACT));
  const words = ['-W', 'error', 'test/docs/generated_client.py', app.url, await app.issue('alice')];
  const output = await runCommand(PYTHON, words, {
    PATH: process.env.PATH,
    PYTHONPATH: scratch.path,
    PYTHONDONTWRITEBYTECODE: '1',
  });
  expect(JSON.parse(output)).toEqual({
    capabilities: expect.arrayContaining(['basic', 'oauth']) as string[],
    created: [null, true, null, null, 'Coffee', true, 231],
    patched: [false, 'python', 1760000000400, 231],
    deleted: true,
    page: [
      [true, null, 'Coffee'],
      [true, true, null],
    ],
    batch: [200, 404],
    refused: [404, 111],
  });
});
