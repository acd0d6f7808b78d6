import { createReadStream } from 'node:fs';
import { type Command, CommandError, type CommandContext, UsageError } from './command.js';
import { BOOKMARK_FORMATS, FORMATS, formatOf, OWN_FORMAT } from './import/files/formats.js';
import { importBookmarks } from './import/import-bookmarks.js';
import { importOwnLines } from './import/import-own-lines.js';
import { USER_HELP, USER_OPTIONS } from './user-options.js';

const MAX_FIRST_LINE = 65_536;

/** Imports the output of `user export`, or a file of another service. */
export const userImportCommand: Command = {
  name: 'user import',
  summary: 'Read what "user export" wrote, or a file of another service',
  help: `FILE [--key HEX | --subject SUBJECT | --local NAME | --basic NAME] [--format FORMAT] [--added-by NAME] [--dry-run]

Reads FILE (- is standard input). Its format is recognised:
  lines       what "user export" wrote: brings users back as they were; where a list has changed since, what is missing in
              it is added. The file says whose it is, unless a user is named.
  pocket      Pocket's CSV
  instapaper  Instapaper's CSV
  bookmarks   bookmarks as browsers write them (Netscape HTML)
Articles whose URL the user already has are left alone, so that an import can be repeated. What an article has no field for
(tags, folders, descriptions) is left out; the last line says for how many entries.

${USER_HELP}
  --format FORMAT    one of the above
  --added-by NAME    who added the articles of another service, default "import"
  --dry-run          store nothing, and say what the import would do

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done, but some entries cannot be articles (they are listed)`,
  options: {
    'dry-run': { type: 'boolean' },
    format: { type: 'string' },
    'added-by': { type: 'string' },
    ...USER_OPTIONS,
  },
  takesOperands: true,
  checkUsage({ operands, options: { format } }) {
    if (operands.length !== 1) throw new UsageError('Name one file, or - for standard input.');
    if (format !== undefined && !FORMATS.includes(format as string))
      throw new UsageError(`--format: one of ${FORMATS.join(', ')}.`);
  },
  needsDatabase: true,
  async run(context) {
    const { format, text } = await open(context);
    if (format === OWN_FORMAT) return importOwnLines(context, text);
    return importBookmarks(context, BOOKMARK_FORMATS[format]!(text));
  },
};

/** Opens the file and detects its format. Throws `UsageError` when it is not clear what to read. */
async function open({ operands, options }: CommandContext): Promise<{ format: string; text: AsyncIterable<string> }> {
  const chunks = chunksOf(operands[0]!);
  const beginning = await readBeginning(chunks);
  if (beginning === '') throw new CommandError('The file is empty.');
  const format = (options.format as string | undefined) ?? formatOf(beginning);
  if (format === undefined)
    throw new UsageError(
      `The file looks like none that can be read; say --format (${FORMATS.join(', ')}) if it is one.`,
    );
  return { format, text: whole(beginning, chunks) };
}

async function* chunksOf(file: string): AsyncGenerator<string, undefined, undefined> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const chunk of input.setEncoding('utf8')) yield chunk as string;
  } catch (error) {
    throw new CommandError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/** Reads as much as it takes to see the first line. */
async function readBeginning(chunks: AsyncGenerator<string, undefined, undefined>): Promise<string> {
  let beginning = '';
  while (beginning.length < MAX_FIRST_LINE && !beginning.trimStart().includes('\n')) {
    const next = await chunks.next();
    if (next.done) break;
    beginning += next.value;
  }
  return beginning;
}

async function* whole(beginning: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield beginning;
  yield* rest;
}
