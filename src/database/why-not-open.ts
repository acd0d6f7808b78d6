import { readServerUrl } from '../config/database-url.js';
import { SettingError } from '../config/settings.js';
import { databaseFile } from './expected.js';
import { whyUnusable } from './sqlite/why-unusable.js';
import { cannotBeOpened, isCorrupt, isNoDatabase } from './sqlite/dialect.js';

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

/** Wrong user or password; also what MariaDB says where it requires TLS or a client certificate. */
const ACCESS_DENIED = [1045, 1251, 1698];
const NO_DATABASE = [1044, 1049];
const TLS_REQUIRED = 3159;
/** Errors of TLS that end by themselves: certificates are renewed, servers restart. */
const PASSING = /expired|not yet valid|disconnected/;

/** OpenSSL adds what it names the reason for. */
type ConnectionError = NodeJS.ErrnoException & { library?: string; reason?: string };

/**
 * What to change where a server refuses the connection, with the reason; undefined for what may pass without anybody's
 * help.
 */
export function whyRefused(databaseUrl: string, error: ConnectionError): string | undefined {
  const { errno = 0, code = '' } = error;
  const { database, tls } = readServerUrl(databaseUrl);
  const cannot = `cannot be opened: ${reasonOf(error)};`;
  const advice = code.includes('SSL') ? adviceOnTls(error) : undefined;
  if (advice) return `${cannot} ${advice}`;
  if (errno === TLS_REQUIRED) return `${cannot} add ssl-mode=VERIFY_IDENTITY or another ssl-mode`;
  if (ACCESS_DENIED.includes(errno))
    return `${cannot} look at user and password, and whether they require ${tls ? 'a client certificate (ssl-cert, ssl-key)' : 'TLS (ssl-mode)'}`;
  if (NO_DATABASE.includes(errno))
    return (
      `${cannot} if ${JSON.stringify(database)} does not exist, create it, or let "npm run migrate" do that as a user who may; ` +
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
  return 'name the authority that issued the certificate of the server as ssl-ca';
}

/** One line, without the places in the source of OpenSSL. */
const reasonOf = ({ library, reason, message }: ConnectionError): string =>
  library && reason ? reason : message.split('\n')[0]!;
