import { existsSync, readdirSync, writeFileSync, rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { findProgram, runCommand } from './command.js';
import { withFileLock } from './file-lock.js';

const lockFile = '/run/reading-list-apt.lock';
const policyFile = '/usr/sbin/policy-rc.d';
const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/**
 * Installs the Debian packages of the programs that are missing. Keys are program names, or absolute paths of files;
 * values are packages. Throws an Error with the command to run when something is missing and this process is not root.
 */
export async function ensureDebianPackages(packageOf: Record<string, string>): Promise<void> {
  const missing = missingPackages(packageOf);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !findProgram('apt-get')) {
    throw new Error(
      `missing programs for the tests, run: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing.join(' ')}`,
    );
  }
  await withFileLock(lockFile, () => install(missingPackages(packageOf)));
  const stillMissing = missingPackages(packageOf);
  if (stillMissing.length > 0) throw new Error(`installed, but without the expected files: ${stillMissing.join(' ')}`);
}

function missingPackages(packageOf: Record<string, string>): string[] {
  const missing = Object.entries(packageOf).filter(([program]) => !isPresent(program));
  return [...new Set(missing.map(([, name]) => name))];
}

function isPresent(program: string): boolean {
  return isAbsolute(program) ? existsSync(program) : findProgram(program) !== undefined;
}

async function install(names: string[]): Promise<void> {
  if (names.length === 0) return;
  const ownPolicy = !existsSync(policyFile);
  if (ownPolicy) writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    if (!hasPackageLists()) await aptGet('update');
    // Outdated lists name files that are no longer on the mirror.
    await installNow(names).catch(() => aptGet('update').then(() => installNow(names)));
  } finally {
    if (ownPolicy) rmSync(policyFile);
  }
}

function hasPackageLists(): boolean {
  const lists = '/var/lib/apt/lists';
  return existsSync(lists) && readdirSync(lists).some((name) => /_Packages(\.\w+)?$/.test(name));
}

function installNow(names: string[]): Promise<string> {
  return aptGet('install', '--yes', '--no-install-recommends', ...names);
}

function aptGet(...args: string[]): Promise<string> {
  return runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], environment);
}
