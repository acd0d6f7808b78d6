import { SettingError } from '../config/settings.js';
import { cannotBeOpened, isCorrupt } from './sqlite/dialect.js';

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
  const advice = isCorrupt(error) ? `; the file is corrupt: ${CORRUPT_ADVICE}` : '';
  return new SettingError(`DATABASE_URL: cannot be opened: ${message.split('\n')[0]}${advice}`);
}
