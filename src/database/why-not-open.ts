import { SettingError } from '../config/settings.js';
import { databaseFile } from './expected.js';
import { cannotBeOpened, isCorrupt, isNoDatabase } from './sqlite/dialect.js';
import { whyUnusable } from './sqlite/why-unusable.js';

/** Unknown user or database, or missing permission: waiting does not help, the operator has to change a setting. */
const CONFIGURATION_ERRORS = new Set([1044, 1045, 1049, 1251, 1698]);

/** Advice for a file that SQLite cannot read. */
export const CORRUPT_ADVICE =
  'stop the service, keep a copy of the file with its -wal, restore the latest backup and run advance-clocks, or save what can ' +
  'be read: sqlite3 FILE .recover | sqlite3 NEW';

/**
 * The reason a database could not be opened: a `SettingError` if only the operator can help, otherwise the error
 * itself.
 */
export function whyNotOpen(databaseUrl: string, error: unknown): Error {
  const { errno, message } = error as Error & { errno?: number };
  const isFinal = databaseUrl.startsWith('sqlite:') ? cannotBeOpened(error) : CONFIGURATION_ERRORS.has(errno ?? 0);
  if (error instanceof SettingError || !isFinal) return error as Error;
  const reason = message.split('\n')[0]!;
  const file = databaseFile({ databaseUrl });
  return new SettingError(
    `DATABASE_URL: ${file ? `${file} ${fault(file, error, reason)}` : `cannot be opened: ${reason}`}`,
  );
}

/** What is wrong with a SQLite file, to follow its path. */
function fault(file: string, error: unknown, reason: string): string {
  if (isNoDatabase(error))
    return 'is no SQLite database; look at the path, or restore a backup if it was the database of this service';
  if (isCorrupt(error)) return `is corrupt (${reason}): ${CORRUPT_ADVICE}`;
  return whyUnusable(file) ?? `cannot be opened: ${reason}`;
}
