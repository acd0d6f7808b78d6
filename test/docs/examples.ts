import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Json } from './document.js';

/** An example of a document: commands to type, and what it says they answer. */
export interface Example {
  commands: string;
  answers: HttpAnswer[];
}

/** A status line, some headers, and the body if it is JSON. */
export interface HttpAnswer {
  status: string;
  headers: string[];
  body?: unknown;
}

/** The blocks of shell commands with `curl` in a Markdown file, each with the block of answers that follows, if one does. */
export function examplesOf(file: string): Example[] {
  const blocks = /^```sh\n(.*?)^```\n(?:\n```http\n(.*?)^```)?/gms;
  return [...readFileSync(file, 'utf8').matchAll(blocks)]
    .filter(([, commands]) => /\bcurl\b/.test(commands!))
    .map(([, commands, answers]) => ({ commands: commands!, answers: readAnswers(answers ?? '') }));
}

/** HTTP as `curl -i` prints it and as the documents show it; numbers that differ from run to run are made equal. */
export function readAnswers(text: string): HttpAnswer[] {
  return withoutChance(text.replaceAll('\r', ''))
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer.startsWith('HTTP/'))
    .map((answer) => {
      const [head, body = ''] = answer.trim().split(/\n\n/);
      const [status, ...headers] = head!.split('\n');
      return { status: status!, headers, ...(body && { body: JSON.parse(body) as unknown }) };
    });
}

const withoutChance = (text: string): string =>
  text
    .replace(/\b1[6-9]\d{11}\b/g, '1760000000000')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replace(/_token=[\w-]+/g, '_token=x');

/** Whether a value is as documented: equal, but for the members of mappings that an `…` leaves out. */
export function isAsDocumented(documented: unknown, value: unknown): boolean {
  if (typeof documented !== 'object' || documented === null) return documented === value;
  if (typeof value !== 'object' || value === null) return false;
  const { '…': elision, ...members } = documented as Json;
  const hasSameNames = elision !== undefined || Object.keys(members).length === Object.keys(value).length;
  return (
    hasSameNames && Object.entries(members).every(([name, member]) => isAsDocumented(member, (value as Json)[name]))
  );
}

/**
 * Runs all commands in one shell, as somebody does who follows the document, with other addresses for the documented ones.
 * Gives what each block printed. Rejects when a command fails.
 */
export async function run(examples: Example[], addresses: Record<string, string>): Promise<string[]> {
  const separator = '@@ next example @@';
  const replaced = Object.entries(addresses).reduce(
    (script, [documented, real]) => script.replaceAll(documented, real),
    examples.map(({ commands }) => `echo '${separator}'\n${commands}`).join('\n'),
  );
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', replaced], { maxBuffer: 2 ** 26 });
  const shown = Object.entries(addresses).reduce(
    (text, [documented, real]) => text.replaceAll(real, documented),
    stdout,
  );
  return shown.split(`${separator}\n`).slice(1);
}
