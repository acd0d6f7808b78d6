import { readServerUrl } from '../../config/database-url.js';

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
