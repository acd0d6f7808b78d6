import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { inWords } from './formats.js';

/** A MySQL or MariaDB server, and the database on it. */
export type ServerUrl = ReturnType<typeof readServerUrl>;

/** How a connection is encrypted; the files are named by their paths. */
export type TlsChoice = NonNullable<ServerUrl['tls']>;

type TlsFiles = Partial<Record<'ca' | 'cert' | 'key', string>>;

const MODES = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'];
const PARAMETERS = ['ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key', 'socket'];
const SERVER = /^mysql:\/\/(?<authority>[^\s/?#]*)\/(?<database>[^\s/?#@]+)(?:\?(?<query>[^\s#]*))?$/;
const AUTHORITY = /^(?:(?<user>[^:]*)(?::(?<password>.*))?@)?(?<host>\[[^\]@]+\]|[^:@[\]]*)(?::(?<port>\d+))?$/;

/** What is wrong with a `DATABASE_URL`, as the rest of a sentence that begins with its name; undefined if nothing is. */
export function problemOfDatabaseUrl(text: string): string | undefined {
  if (/^sqlite:\S(.*\S)?$/.test(text)) return undefined;
  try {
    const { tls } = readServerUrl(text);
    if (tls) readTlsFiles(tls);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads a `mysql:` URL, whose parts are percent-encoded. Throws an `Error` that says what the URL must be. */
export function readServerUrl(url: string) {
  const { authority, database, query } = SERVER.exec(url)?.groups ?? {};
  const { user = '', password = '', host, port = 3306 } = AUTHORITY.exec(authority ?? '@@')?.groups ?? {};
  const parameters = readParameters(query ?? '');
  const socket = parameters.get('socket');
  if (database === undefined || host === undefined || (host === '' && socket === undefined))
    throw new Error('must be sqlite:PATH, sqlite::memory: or mysql://user:password@host:port/name');
  if (Number(port) < 1 || Number(port) > 65_535) throw new Error('must have a port from 1 to 65535');
  const tls = tlsChoice(parameters);
  if (tls && socket !== undefined) throw new Error('must not have an ssl-mode with a socket, which needs none');
  return {
    /** A host name or an IP address, without brackets; empty where the path of a Unix socket is used instead. */
    host: decodeURIComponent(host.replace(/^\[(.*)\]$/, '$1')),
    port: Number(port),
    user: decodeURIComponent(user),
    password: decodeURIComponent(password),
    database: decodeURIComponent(database),
    socket,
    tls,
  };
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  // URLSearchParams would read a plus sign as a space.
  for (const [written, value] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    const name = written.toLowerCase();
    if (!PARAMETERS.includes(name))
      throw new Error(`must have only the parameters ${inWords(PARAMETERS, 'and')}, and no ${JSON.stringify(name)}`);
    if (parameters.has(name)) throw new Error(`must have ${name} only once`);
    if (value === '') throw new Error(`must have a value for ${name}`);
    parameters.set(name, value);
  }
  return parameters;
}

function tlsChoice(parameters: Map<string, string>) {
  const [ca, cert, key] = ['ssl-ca', 'ssl-cert', 'ssl-key'].map((name) => parameters.get(name));
  const mode = parameters.get('ssl-mode')?.toUpperCase() ?? (ca || cert || key ? '' : 'DISABLED');
  // With files, it has to be one that uses them.
  if (!MODES.includes(mode))
    throw new Error(`must have an ssl-mode of ${inWords(mode ? MODES : MODES.slice(1), 'or')}`);
  if ((cert === undefined) !== (key === undefined)) throw new Error('must have both ssl-cert and ssl-key, or neither');
  if (mode === 'DISABLED') return undefined;
  // REQUIRED takes any certificate, VERIFY_CA one of a known authority, VERIFY_IDENTITY one that also names the host.
  return { ca, cert, key, verifiesAuthority: mode !== 'REQUIRED', verifiesHost: mode === 'VERIFY_IDENTITY' };
}

/** The contents of the files. Throws an `Error` that names the parameter whose file is missing or unusable. */
export function readTlsFiles(paths: TlsFiles): TlsFiles {
  const files: TlsFiles = {};
  for (const name of ['ca', 'cert', 'key'] as const)
    try {
      if (paths[name] !== undefined) files[name] = readFileSync(paths[name], 'utf8');
    } catch (error) {
      throw new Error(`must have a readable file as ssl-${name} (${(error as NodeJS.ErrnoException).code})`);
    }
  for (const name of ['ca', 'cert'] as const)
    try {
      if (files[name] !== undefined) new X509Certificate(files[name]);
    } catch {
      throw new Error(`must have certificates in PEM format in the file of ssl-${name}`);
    }
  try {
    createSecureContext(files);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`must have an ssl-key that belongs to ssl-cert and has no passphrase (${message})`);
  }
  return files;
}
