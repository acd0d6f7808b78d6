import { readFile } from 'node:fs/promises';

/**
 * Functions that read the `Authorization` of each line of a file: a token, or a name and a password with a colon between
 * them. The file is read again each time, so that a token can be replaced.
 */
export async function authorizationsIn(path: string): Promise<(() => Promise<string>)[]> {
  const count = (await readLines(path)).length;
  if (count === 0) throw new Error(`--token-file: ${path} contains no token`);
  return Array.from({ length: count }, (_, n) => async () => authorizationOf((await readLines(path))[n] ?? ''));
}

async function readLines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(({ code = 'unknown' }: NodeJS.ErrnoException) => {
    throw new Error(`--token-file: ${path} cannot be read (${code})`);
  });
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'));
}

const authorizationOf = (line: string): string =>
  line.includes(':') ? `Basic ${Buffer.from(line).toString('base64')}` : `Bearer ${line}`;
