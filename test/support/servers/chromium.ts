import { findProgram } from './command.js';
import { ensureDebianPackages } from './packages.js';

/** The launch arguments with which Chromium runs as root, without a display and without calling home. */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of the system's Chromium, installed first where it is missing. */
export async function ensureChromium(): Promise<string> {
  await ensureDebianPackages({ chromium: 'chromium' });
  return findProgram('chromium') ?? 'chromium';
}
