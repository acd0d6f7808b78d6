import { createReadStream } from 'node:fs';
import {
  type Contents,
  decode,
  FORMATS,
  isOwnLines,
  OWN_FORMAT,
  readExport,
  ReadError,
  unicodeOf,
  UnknownExport,
} from '@reading-list/formats';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Database } from '../database/database.js';
import type { ImportContext } from './import/destination.js';
import { importEntries } from './import/import-entries.js';
import { importOwnLines, linesOf } from './import/own-lines.js';
import { CommandError, type Shell, withDatabase } from './shell.js';
import { addUserOptions, keyFor, namedUser, type NamedUser, requireUser, type UserOptions } from './user-options.js';

const MAX_BYTES = 256 * 2 ** 20;
const NAMES = FORMATS.map(({ name }) => name);

type Options = UserOptions & { format?: string; addedBy: string; dryRun?: boolean };

export const addUserImport = (commands: Command, shell: Shell): Command =>
  addUserOptions(commands.command('import'))
    .summary('Read what "user export" wrote, or a file of another service')
    .description(
      `Reads a file in one of these formats, which it recognises:
${FORMATS.map(({ name, label }) => `  ${name.padEnd(13)} ${label}`).join('\n')}
or a zip of such files (Pocket, Omnivore). Texts may be in UTF-8, UTF-16 or Windows-1252. Tables may be separated by commas, semicolons or tabs, with their columns in any order.

"lines" is what "user export" wrote: it brings users back as they were; where a list has changed since, what is missing from it is added. The file says whose it is, unless a user is named. It is the only format that loses nothing.

Articles whose URL the user already has are left alone, so that an import can be repeated. Descriptions become the excerpt, and what is archived elsewhere counts as read. What articles have no field for (tags, folders, highlights, second descriptions, the text of the page, other columns, progress without a word count) is left out. The last line counts the entries of which something was left out, and those that have no readable date and count as added now. Exit code 3 means that it is done, but some entries cannot be articles, files of an archive cannot be read, or articles exceed MAX_ARTICLES_PER_USER; these are listed.`,
    )
    .argument('<file>', 'the file; - is standard input')
    .addOption(new Option('--format <format>', 'read the file as this, whatever it looks like').choices(NAMES))
    .option('--added-by <name>', 'who added the articles of another service', 'import')
    .option('--dry-run', 'store nothing, and say what the import would do')
    .action((file: string, options: Options) => {
      const user = namedUser(options);
      return shell.withDatabase((context) => {
        if (file === '-' && user?.option === 'basic' && context.environment.BASIC_PASSWORD === undefined)
          throw new InvalidArgumentError('BASIC_PASSWORD: required when the file is standard input.');
        const counts = { stored: 0, known: 0, overQuota: 0 };
        const run = (database: Database, original?: Database) =>
          importFile({ ...context, database, original, counts }, bytesOf(file), user, options);
        if (!options.dryRun) return run(context.database);
        const inMemory = { ...context.settings, databaseUrl: 'sqlite::memory:' };
        return withDatabase(inMemory, (memory) => run(memory, context.database));
      });
    });

async function importFile(context: ImportContext, bytes: Bytes, user: NamedUser | undefined, options: Options) {
  // Enough to recognise one of our own files.
  const beginning = await readAtLeast(1024, bytes);
  if (beginning.length === 0) throw new CommandError('The file is empty.');
  const all = chained(beginning, bytes);
  const isOwn = options.format === OWN_FORMAT.name || (!options.format && isOwnLines(decode(beginning)));
  if (!isOwn) requireUser(user);
  const contents = isOwn ? undefined : contentsOf(await readAtLeast(MAX_BYTES + 1, all), options.format);
  const account = user && (await keyFor(context, user));
  context.audit(`user import${context.original ? ' --dry-run' : ''}`, user?.name ?? 'users in the file', account);
  if (contents) return importEntries(context, account!, options.addedBy, contents);
  return importOwnLines(context, account, linesOf(all, unicodeOf(beginning)));
}

function contentsOf(bytes: Buffer, wanted?: string): Contents {
  if (bytes.length > MAX_BYTES) throw new CommandError(`The file is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
  try {
    const contents = readExport(bytes, wanted);
    if (contents.stoppedAt) throw contents.stoppedAt;
    return contents;
  } catch (error) {
    if (error instanceof UnknownExport)
      throw new InvalidArgumentError(`This is ${error.message}; use --format (${NAMES.join(', ')}) if it is one.`);
    throw error instanceof ReadError ? new CommandError(`${error.message}; nothing was imported`) : error;
  }
}

type Bytes = AsyncGenerator<Buffer, undefined, undefined>;

async function* bytesOf(file: string): Bytes {
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CommandError(`${file}: there is no such file`);
    if (code === 'EISDIR') throw new CommandError(`${file}: is a folder; name a file in it`);
    throw new CommandError(`${file}: cannot be read (${code})`);
  }
}

async function readAtLeast(size: number, bytes: Bytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; length < size;) {
    const next = await bytes.next();
    if (next.done) break;
    chunks.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(chunks);
}

async function* chained(beginning: Buffer, rest: Bytes): Bytes {
  yield beginning;
  yield* rest;
}
