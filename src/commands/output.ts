import { once } from 'node:events';

const PROGRESS_MS = 2_000;

/** Writes a line to standard output; resolves when the reader keeps up. */
export async function printLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** A reporter that lets a text through to the error output every two seconds, the first one after two. */
export function createProgress(): (text: string) => void {
  let last = performance.now();
  return (text) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    console.error(text);
  };
}
