import { SettingError } from '../config/settings.js';
import { databaseFile } from './expected.js';
import { whyRefused } from './mysql/why-refused.js';
import { cannotBeOpened, isCorrupt, isNoDatabase } from './sqlite/dialect.js';
import { whyUnusable } from './sqlite/why-unusable.js';

/** Advice for a file that SQLite cannot read. */
export const CORRUPT_ADVICE =
  'stop the service, keep a copy of the file with its -wal, restore the latest backup and run advance-clocks, or save what can ' +
  'be read: sqlite3 FILE .recover | sqlite3 NEW';

/**
 * The reason a database could not be opened: a `SettingError` if only the operator can help, otherwise the error
 * itself.
 */
export function whyNotOpen(databaseUrl: string, error: unknown): Error {
  if (error instanceof SettingError) return error;
  const why = databaseUrl.startsWith('sqlite:')
    ? cannotBeOpened(error) && whyNoFile(databaseUrl, error as Error)
    : whyRefused(databaseUrl, error as Error);
  return why ? new SettingError(`DATABASE_URL: ${why}`) : (error as Error);
}

function whyNoFile(databaseUrl: string, error: Error): string {
  const file = databaseFile({ databaseUrl });
  const reason = error.message.split('\n')[0]!;
  return file ? `${file} ${fault(file, error, reason)}` : `cannot be opened: ${reason}`;
}

/** What is wrong with a SQLite file, to follow its path. */
function fault(file: string, error: unknown, reason: string): string {
  if (isNoDatabase(error))
    return 'is not a SQLite database; look at the path, or restore a backup if it was the database of this service';
  if (isCorrupt(error)) return `is corrupt (${reason}): ${CORRUPT_ADVICE}`;
  return whyUnusable(file) ?? `cannot be opened: ${reason}`;
}
