import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from './servers/cache-folder.js';
import { runCommand } from './servers/command.js';

/** The folder of a package with exactly this version, without what it depends on; downloaded once. */
export async function unpackNpmPackage(name: string, version: string): Promise<string> {
  const folder = await buildOnce(`npm-${name.replace(/\W+/g, '-')}-${version}`, async (partial) => {
    const file = await runCommand('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', partial]);
    await runCommand('tar', ['-xzf', join(partial, file.trim()), '-C', partial]);
  });
  if (!existsSync(join(folder, 'package/package.json'))) throw new Error(`${name}@${version} has no package.json`);
  return join(folder, 'package');
}
