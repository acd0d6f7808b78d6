import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { compile } from 'proxy-addr';
import { decodePercent } from '../protocol/percent-encoding.js';

/** Several names as a sentence has them: "a, b or c". */
export const inWords = (names: readonly string[], conjunction: 'and' | 'or'): string =>
  `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The base URL of a server that listens there. */
export const baseUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** True for the host of a URL, as `URL` normalises it, that only this machine can reach. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** An IP address or a host name. */
export const isHost = (text: string): boolean => isIP(text) !== 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(text);

/** An http(s) URL to which paths can be appended, whose path can stand in a cookie, without what a parser drops or misreads. */
export const isBaseUrl = (text: string): boolean =>
  /^https?:\/\/(?!\/)[^\s?#;\\@\u0000-\u001f\u007f]+$/i.test(text) && URL.canParse(text);

/** A base URL that uses https or stays on this machine. */
export const isIssuer = (text: string): boolean =>
  isBaseUrl(text) && (new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname));

export const isHttpUrl = (text: string): boolean => /^https?:\/\/(?!\/)[^\s\\]+$/i.test(text) && URL.canParse(text);

/** The URL of a Redis server or of a master; its percent-encoding has to be right. */
export const isRedisUrl = (text: string): boolean =>
  (/^rediss?:\/\/([^\s/?#]*@)?[^\s/?#@,]+(\/\d*)?(\?\S*)?$/.test(text) && URL.canParse(text)) ||
  parseSentinelUrl(text) !== undefined;

/** False for a server's URL with a port that does not exist. A password may contain digits after a colon too. */
export function hasPossiblePort(text: string): boolean {
  const [, hosts = ''] = /^(?:https?|rediss?(?:-sentinel)?):\/\/(?:.*@)?([^/?#@]*)/is.exec(text) ?? [];
  const ports = hosts.split(',').map((host) => Number(/:(\d+)$/.exec(host)?.[1] ?? 1));
  return ports.every((port) => port >= 1 && port <= 65_535);
}

/** False for a server's URL with a `%` that does not start an encoded UTF-8 character: the drivers decode its parts. */
export const isValidPercentEncoding = (text: string): boolean =>
  text.startsWith('sqlite:') || decodePercent(text) !== undefined;

/** Parses a URL whose host is parsed as written: without user info, backslashes, encoded letters, unusual IP addresses. */
export function parsePlainUrl(text: string): URL | undefined {
  if (/[\s\\\u0000-\u0020\u007f-\u009f]/.test(text)) return undefined;
  // Not by `URL.canParse`: once the call is optimised, Node 20 refuses hosts with letters such as `ü`.
  const url = resultOf(() => new URL(text));
  const written = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]?.toLowerCase();
  if (!url || written === undefined || /(^|\.)\./.test(url.hostname)) return undefined;
  const names = [url.hostname, domainToUnicode(url.hostname)];
  const hosts = names.map((name) => `${name}:${portOf(url)}`).concat(url.port === '' ? names : []);
  return hosts.includes(written) ? url : undefined;
}

/** Undefined if `work` throws. */
function resultOf<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');

/** A host to which a login may return: a host name or an IP address, perhaps with a port, or `*.` and a host name. */
export function isRedirectDomain(text: string): boolean {
  const host = text.toLowerCase().replace(/^\*\./, '');
  // A host that is parsed as something else than was written would never match, or match what nobody meant.
  const url = /[/?#*]/.test(host) ? undefined : parsePlainUrl(`http://${host}`);
  return url !== undefined && (host === text.toLowerCase() || isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0);
}

/** `name=value` pairs joined by `&`. */
export const isQueryString = (text: string): boolean =>
  /^\??[^\s#?=&][^\s#=&]*=[^\s#&]*(&[^\s#=&]+=[^\s#&]*)*$/.test(text) && isValidPercentEncoding(text);

const FLOW_PARAMETER =
  /^(client_id|code_challenge(_method)?|nonce|redirect_uri|request(_uri)?|response_(mode|type)|scope|state)$/i;

/** False for a query string with a parameter that a login sets itself, or that changes how its response comes back. */
export const leavesFlowAlone = (text: string): boolean =>
  [...new URLSearchParams(text).keys()].every((name) => !FLOW_PARAMETER.test(name));

/** An existing day as `yyyy-mm-dd`. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON() === `${text}T00:00:00.000Z`;

/** A value for Express's `trust proxy`: a number of hops, true, false, or a list of IP addresses and ranges. */
export const isTrustProxy = (text: string): boolean =>
  /^(\d{1,3}|true|false)$/i.test(text) || resultOf(() => compile(text.split(/ *, */))) !== undefined;

const SENTINEL_URL =
  /^redis(s?)-sentinel:\/\/(?:([^\s/?#@:]*)(?::([^\s/?#@]*))?@)?([^\s/?#@]+)\/([^\s/?#]+?)(?:\/(\d{1,5}))?$/;
const SENTINEL = /^([\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/** Options of ioredis for `redis-sentinel://[user:password@]host:port,host:port/master[/db]`; undefined for anything else. */
export function parseSentinelUrl(text: string) {
  const [, tls, username, password, hosts, name, db] = SENTINEL_URL.exec(text) ?? [];
  const sentinels = hosts?.split(',').map((each) => SENTINEL.exec(each));
  if (!sentinels?.every((sentinel) => sentinel !== null)) return undefined;
  return {
    sentinels: sentinels.map(([, host, port]) => ({
      host: host!.replace(/^\[|\]$/g, ''),
      port: Number(port ?? 26_379),
    })),
    name: decodeURIComponent(name!),
    // These are the master's.
    username: username ? decodeURIComponent(username) : undefined,
    password: password ? decodeURIComponent(password) : undefined,
    db: Number(db ?? 0),
    // In `rediss-sentinel`, all servers use TLS.
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}
