import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Creates a personal token with the service's command. @param words the user, and options */
export async function createPersonalToken(databaseUrl: string, ...words: string[]): Promise<string> {
  const command = ['dist/src/commands/cli.js', 'token', 'create', '--quiet', ...words];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  return (await promisify(execFile)(process.execPath, command, { env })).stdout.trim();
}
