import { findProgram } from './command.js';
import { ensureDebianPackages } from './packages.js';

/** Launch arguments for Chromium as root, without a display and without background network requests. */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of the system's Chromium, which is installed if missing. */
export async function ensureChromium(): Promise<string> {
  await ensureDebianPackages({ chromium: 'chromium' });
  return findProgram('chromium') ?? 'chromium';
}

/** The same for Chromium without what surrounds its pages, which takes a third less of the processor. */
export async function ensureHeadlessShell(): Promise<string> {
  await ensureDebianPackages({ 'chromium-headless-shell': 'chromium-headless-shell' });
  return findProgram('chromium-headless-shell') ?? 'chromium-headless-shell';
}
