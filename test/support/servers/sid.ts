import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianMirror } from './apt-mirror.js';
import { runCommand } from './command.js';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks packages of Debian sid with all dependencies, including the C library, into `root` below a folder; about 330
 * MB for a database server. Leaves the system's packages and apt settings alone.
 */
export async function unpackSid(folder: string, packages: string[]): Promise<void> {
  const apt = join(folder, 'apt');
  await writeAptFolder(apt);
  const environment = { ...process.env, APT_CONFIG: join(apt, 'apt.conf') };
  await runCommand('apt-get', ['update'], environment);
  // The status file is empty, so that apt considers nothing installed and fetches all dependencies.
  const install = ['--yes', '--download-only', '--no-install-recommends', 'install', ...packages];
  await runCommand('apt-get', install, environment);
  const archives = join(apt, 'cache/archives');
  for (const name of await readdir(archives)) {
    if (name.endsWith('.deb')) await runCommand('dpkg-deb', ['-x', join(archives, name), join(folder, 'root')]);
  }
  await linkMergedFolders(join(folder, 'root'));
  await rm(apt, { recursive: true });
}

async function writeAptFolder(apt: string): Promise<void> {
  await mkdir(join(apt, 'lists/partial'), { recursive: true });
  await mkdir(join(apt, 'cache/archives/partial'), { recursive: true });
  await writeFile(join(apt, 'status'), '');
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${keyring}] ${debianMirror()} sid main\n`);
  const settings = {
    'Dir::Etc::SourceList': join(apt, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  await writeFile(join(apt, 'apt.conf'), lines.join(''));
}

const loaders: Partial<Record<NodeJS.Architecture, [loader: string, libraries: string]>> = {
  x64: ['lib64/ld-linux-x86-64.so.2', 'usr/lib/x86_64-linux-gnu'],
  arm64: ['lib/ld-linux-aarch64.so.1', 'usr/lib/aarch64-linux-gnu'],
};

/** What has to precede a program below `root`: the loader and libraries it came with, as the system's may be too old. */
export function loaderOf(root: string): [command: string, ...args: string[]] {
  const loader = loaders[process.arch];
  if (!loader) throw new Error(`no programs of Debian sid for ${process.arch} in this recipe`);
  return [join(root, loader[0]), '--library-path', join(root, loader[1])];
}

/** Packages expect /bin, /lib and so on to be links into /usr, which no package provides. */
async function linkMergedFolders(root: string): Promise<void> {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    if (!existsSync(join(root, name))) await symlink(`usr/${name}`, join(root, name));
  }
}
