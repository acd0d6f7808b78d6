import { createReadStream } from 'node:fs';
import { type Command, Option } from 'commander';
import { CommandError, UsageError } from './command.js';
import { BOOKMARK_FORMATS, FORMATS, formatOf, OWN_FORMAT } from './import/files/formats.js';
import type { ImportOptions } from './import/account-import.js';
import { importBookmarks } from './import/import-bookmarks.js';
import { importOwnLines } from './import/import-own-lines.js';
import type { Shell } from './shell.js';
import { addUserOptions, type UserOptions } from './user-options.js';

const MAX_FIRST_LINE = 65_536;

/** `user import`: imports the output of `user export`, or a file of another service. */
export function addUserImport(commands: Command, shell: Shell): void {
  const command = commands
    .command('import')
    .summary('Read what "user export" wrote, or a file of another service')
    .description(
      `Reads a file, whose format is recognised:
  lines       what "user export" wrote: brings users back as they were; where a list has changed since, what is missing in it is added. The file says whose it is, unless a user is named.
  pocket      Pocket's CSV
  instapaper  Instapaper's CSV
  bookmarks   bookmarks as browsers write them (Netscape HTML)

Articles whose URL the user already has are left alone, so that an import can be repeated. What an article has no field for (tags, folders, descriptions) is left out; the last line says for how many entries.`,
    )
    .argument('<file>', 'the file; - is standard input');
  addUserOptions(command)
    .addOption(new Option('--format <format>', 'read the file as this, whatever it looks like').choices(FORMATS))
    .option('--added-by <name>', 'who added the articles of another service', 'import')
    .option('--dry-run', 'store nothing, and say what the import would do')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 done, but some entries cannot be articles (they are listed), or exceed MAX_ARTICLES_PER_USER',
    )
    .action(
      (file: string, { format: wanted, addedBy, dryRun, ...user }: ImportOptions & UserOptions & { format?: string }) =>
        shell.withDatabase(async (context) => {
          const { format, text } = await open(file, wanted);
          const options = { addedBy, dryRun };
          if (format === OWN_FORMAT) return importOwnLines(context, options, user, text);
          return importBookmarks(context, options, user, BOOKMARK_FORMATS[format]!(text));
        }),
    );
}

/** Opens the file and detects its format. Throws `UsageError` when it is not clear what to read. */
async function open(file: string, wanted?: string): Promise<{ format: string; text: AsyncIterable<string> }> {
  const chunks = chunksOf(file);
  const beginning = await readBeginning(chunks);
  if (beginning === '') throw new CommandError('The file is empty.');
  const format = wanted ?? formatOf(beginning);
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
