/** A master that Redis Sentinels watch. */
export interface SentinelMaster {
  sentinels: { host: string; port: number }[];
  name: string;
  username?: string;
  password?: string;
  db: number;
  isEncrypted: boolean;
}

const SENTINEL_PORT = 26_379;
const FORM = /^redis(s?)-sentinel:\/\/(?:([^\s/?#@:]*)(?::([^\s/?#@]*))?@)?([^\s/?#@]+)\/([^\s/?#]+?)(?:\/(\d{1,5}))?$/;
const HOST = /^([\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * True for `redis-sentinel://[user:password@]host:port,host:port/master[/db]`, and for `rediss-sentinel` where all servers
 * use TLS. User and password are those of the master, percent-encoded.
 */
export function isSentinelUrl(text: string): boolean {
  const hosts = FORM.exec(text)?.[4]?.split(',') ?? [''];
  return hosts.every((host) => HOST.test(host));
}

/** Reads a URL of this form; undefined for anything else. */
export function parseSentinelUrl(text: string): SentinelMaster | undefined {
  if (!isSentinelUrl(text)) return undefined;
  const [, tls, username, password, hosts, name, db] = FORM.exec(text)!;
  const sentinels = hosts!.split(',').map((each) => {
    const [, host, port] = HOST.exec(each)!;
    return { host: host!.replace(/^\[|\]$/g, ''), port: Number(port ?? SENTINEL_PORT) };
  });
  return {
    sentinels,
    name: decodeURIComponent(name!),
    username: username ? decodeURIComponent(username) : undefined,
    password: password ? decodeURIComponent(password) : undefined,
    db: Number(db ?? 0),
    isEncrypted: tls === 's',
  };
}
