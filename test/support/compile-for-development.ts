import { execFileSync } from 'node:child_process';
import { withFileLock } from './servers/file-lock.js';

/** Compiles what runs on a developer's machine, once for all callers: nobody may run it while another one writes it. */
export const compileForDevelopment = (): Promise<void> =>
  withFileLock('dist/development.lock', () => {
    execFileSync(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.dev.json']);
    return Promise.resolve();
  });
