import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const outputLimitBytes = 64 * 1024 * 1024;

/** The path of an executable on PATH or in the sbin folders (which an ordinary user's PATH lacks), or undefined. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => isAbsolute(path) && isExecutable(path));
}

/**
 * Runs a program and returns its output, stdout before stderr; throws an Error with the tail of the output on failure.
 */
export function runCommand(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, maxBuffer: outputLimitBytes }, (error, stdout, stderr) => {
      const output = `${stdout}\n${stderr}`.trim();
      if (!error) return resolve(output);
      const cause = error.code ?? error.signal ?? error.message;
      reject(new Error(`${command} ${args.join(' ')} failed (${cause}):\n${output.slice(-2000)}`));
    }).stdin?.end();
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
