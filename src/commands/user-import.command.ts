import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Command, CommandError, type CommandContext, EXIT, UsageError } from './command.js';
import { BOOKMARK_FORMATS, formatOf, OWN_FORMAT } from './import/formats.js';
import { importBookmarks } from './import/import-bookmarks.js';
import { importOwnLines } from './import/import-own-lines.js';
import { USER_HELP, USER_OPTIONS } from './user-options.js';

/** Reads what `user export` wrote, or the file of another service. */
export const userImportCommand: Command = {
  name: 'user import',
  summary: 'Read what "user export" wrote, or a file of another service',
  help: `FILE [--key HEX | --subject SUBJECT | --basic NAME] [--format FORMAT] [--added-by NAME] [--dry-run]

Reads FILE (- is standard input). Its format is recognised:
  lines       what "user export" wrote: brings users back as they were; where a list has changed since, what is missing in
              it is added. The file says whose it is, unless a user is named.
  pocket      Pocket's CSV
  instapaper  Instapaper's CSV
  bookmarks   bookmarks as browsers write them (Netscape HTML)
Articles whose address the user has already are left alone, so that an import can be repeated.

${USER_HELP}
  --format FORMAT    one of the above
  --added-by NAME    who added the articles of another service, default "import"
  --dry-run          only read the file and say what is in it

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done, but some entries can not be articles (they are listed)`,
  options: {
    'dry-run': { type: 'boolean' },
    format: { type: 'string' },
    'added-by': { type: 'string' },
    ...USER_OPTIONS,
  },
  needsDatabase: true,
  async run(context) {
    const lines = linesOf(context.operands);
    const { value: first = '', done } = await lines.next();
    if (done) throw new CommandError('The file is empty.');
    const format = (context.options.format as string | undefined) ?? formatOf(first);
    if (format === OWN_FORMAT) return importOwnLines(context, whole(first, lines));
    const read = BOOKMARK_FORMATS[format];
    if (!read) throw new UsageError(`--format: one of ${[OWN_FORMAT, ...Object.keys(BOOKMARK_FORMATS)].join(', ')}.`);
    const { skipped } = await importBookmarks(context, read(await textOf(whole(first, lines))));
    return skipped > 0 ? EXIT.attention : EXIT.ok;
  },
};

async function* linesOf([file, ...more]: CommandContext['operands']): AsyncGenerator<string, undefined> {
  if (file === undefined || more.length > 0) throw new UsageError('Name one file, or - for standard input.');
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) yield line;
  } catch (error) {
    throw new CommandError(`${file}: can not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

async function* whole(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first.replace(/^\uFEFF/, '');
  yield* rest;
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all.join('\n');
}
