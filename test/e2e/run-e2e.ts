import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a run of `npm run test:e2e` ended with. */
export interface E2eRun {
  status: number;
  output: string;
}

/** Runs the command as an operator would; `onOutput` gets all that it has written so far. */
export async function runE2e(
  args: string[],
  environment: Record<string, string> = {},
  onOutput: (output: string) => void = () => undefined,
): Promise<E2eRun> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['scripts/test-e2e.mjs', ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => onOutput((output += chunk)));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}
