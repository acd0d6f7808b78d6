import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readServerUrl } from '../config/database-url.js';
import { SettingError, type Settings } from '../config/settings.js';
import { cannotBeOpened, isCorrupt, isNotDatabase } from './sqlite/dialect.js';

const { R_OK, W_OK, X_OK } = constants;
const LOOK = 'check the path, and that its volume is mounted';

/** The file of a SQLite database; undefined for a server and for an in-memory database. */
export function databaseFile({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string | undefined {
  const [, path] = /^sqlite:(.*)$/s.exec(databaseUrl) ?? [];
  return path === undefined || path === ':memory:' ? undefined : resolve(path);
}

/** Throws `SettingError` when the SQLite file is missing: a mistyped path must not lead to an empty database. */
export function requireDatabaseFile(settings: Pick<Settings, 'databaseUrl' | 'databaseMustHaveUsers'>): void {
  const file = databaseFile(settings);
  if (file === undefined) return;
  const found = statOf(file);
  if (found?.isFile() && found.size > 0) return;
  const why = refusal(dirname(file), R_OK) === 'ENOENT' ? undefined : whyUnusable(file);
  if (why) throw new SettingError(`DATABASE_URL: ${file} ${why}`);
  const start = `MIGRATE_ON_START=true${settings.databaseMustHaveUsers ? ' and DATABASE_MUST_HAVE_USERS=false' : ''}`;
  throw new SettingError(
    `DATABASE_URL: ${file} does not exist or is empty; ${LOOK}. ` +
      `"npm run migrate" creates a new database, and so does a start with ${start}`,
  );
}

/** Advice for a file that SQLite cannot read. */
export const CORRUPT_ADVICE =
  'stop the service, keep a copy of the file with its -wal, and run "restore BACKUP" with the latest backup, or save what can ' +
  'be read: sqlite3 FILE .recover | sqlite3 NEW';

/** Why a database could not be opened: a `SettingError` if only the operator can help, otherwise the error itself. */
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
  if (!file) return `cannot be opened: ${reason}`;
  if (isNotDatabase(error))
    return `${file} is not a SQLite database; check the path, or restore a backup if it was the database of this service`;
  if (isCorrupt(error)) return `${file} is corrupt (${reason}): ${CORRUPT_ADVICE}`;
  return `${file} ${whyUnusable(file) ?? `cannot be opened: ${reason}`}`;
}

/** Wrong user or password; also what MariaDB says where it requires TLS or a client certificate. */
const ACCESS_DENIED = [1045, 1251, 1698];
/** What a server says of a database that does not exist, if the user may know. */
export const UNKNOWN_DATABASE = [1044, 1049];
const TLS_REQUIRED = 3159;
/** Errors of TLS that end by themselves: certificates are renewed, servers restart. */
const PASSING = /expired|not yet valid|disconnected/;

/** OpenSSL's errors have a `library` and a `reason`. */
type ConnectionError = NodeJS.ErrnoException & { library?: string; reason?: string };

/** What to change where a server refuses the connection; undefined for what may pass without anybody's help. */
function whyRefused(databaseUrl: string, error: ConnectionError): string | undefined {
  const { errno = 0, code = '', library, reason, message } = error;
  const { database, tls } = readServerUrl(databaseUrl);
  // One line, without the places in the source of OpenSSL.
  const cannot = `cannot be opened: ${library && reason ? reason : message.split('\n')[0]!};`;
  const advice = code.includes('SSL') ? adviceOnTls(error) : undefined;
  if (advice) return `${cannot} ${advice}`;
  if (errno === TLS_REQUIRED) return `${cannot} add ssl-mode=VERIFY_IDENTITY or another ssl-mode`;
  if (ACCESS_DENIED.includes(errno))
    return `${cannot} check user and password, and whether the user requires ${tls ? 'a client certificate (ssl-cert, ssl-key)' : 'TLS (ssl-mode)'}`;
  if (UNKNOWN_DATABASE.includes(errno))
    return (
      `${cannot} if ${JSON.stringify(database)} does not exist, create it, or run "npm run migrate" as a user who may create it; ` +
      'otherwise grant the user all rights on it'
    );
  return undefined;
}

function adviceOnTls({ code, message, syscall }: ConnectionError): string | undefined {
  if (syscall !== undefined || PASSING.test(message)) return undefined;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return 'set up TLS on the server, or choose ssl-mode=DISABLED';
  if (message.startsWith('Hostname/IP does not match'))
    return 'connect to a host that the certificate is issued for, or choose ssl-mode=VERIFY_CA';
  if (message.includes('alert')) return 'the server does not accept the certificate of ssl-cert, or the version of TLS';
  return 'set ssl-ca to the certificate of the authority that issued the server certificate';
}

/**
 * What the file system has against a SQLite file, and what to do about it, to end a sentence that begins with the path;
 * undefined when it has nothing against it. Does not open the file: closing it again would end SQLite's locks.
 */
export function whyUnusable(file: string): string | undefined {
  const folder = dirname(file);
  if (statOf(file)?.isDirectory()) return 'is a folder; name a file in it';
  if (statOf(folder)?.isDirectory() === false) return `cannot exist, as ${folder} is not a folder; check the path`;
  const ofFolder = refusal(folder, R_OK | W_OK | X_OK);
  if (ofFolder === 'ENOENT' || ofFolder === 'ENOTDIR') return `cannot be created, as ${folder} does not exist; ${LOOK}`;
  const ofFiles = ['', '-wal', '-shm'].map((suffix) => refusal(file + suffix, R_OK | W_OK));
  const code = ofFolder ?? ofFiles.find((each) => each && each !== 'ENOENT');
  if (code === 'EROFS') return 'is on a read-only volume; mount it for writing';
  return (
    code &&
    `cannot be read and written (${code}); let the user of the service read and write it, its -wal and -shm, and its folder`
  );
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
