import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Download } from '@reading-list/page-reader/node';
import { isPublic } from './addresses.js';
import { HostTurns } from './host-turns.js';
import { Robots } from './robots.js';
import { timeLimit } from './time-limit.js';

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 1024 * 1024;
const FIRST_UNPRIVILEGED_PORT = 1024;
const PACKAGE = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(PACKAGE) as { version: string };
const USER_AGENT = `reading-list-resolver/${version} (fetches single pages that a person has saved)`;

/** Resolves the name of a host to its addresses. */
type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

export interface DownloaderOptions {
  /** Whether to leave out what robots.txt disallows. */
  obeysRobots?: boolean;
  /** Addresses that may be connected to though they are not public. For tests only: there is no such option on the command line. */
  trustedAddresses?: readonly string[];
  resolve?: Resolve;
  timeoutMs?: number;
}

/** The page cannot be fetched; the message does not contain its URL. */
export class DownloadError extends Error {}

/**
 * Fetches pages of strangers: from public addresses only, which are checked for each connection that is made, at most 5 MB
 * in 15 seconds, with at most 5 redirects, without cookies.
 */
export class Downloader {
  readonly turns = new HostTurns();
  readonly #robots: Robots | undefined;
  readonly #trusted: ReadonlySet<string>;
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;

  constructor({ obeysRobots = false, trustedAddresses = [], resolve, timeoutMs = TIMEOUT_MS }: DownloaderOptions = {}) {
    this.#robots = obeysRobots ? new Robots((url, signal) => this.#follow(url, signal)) : undefined;
    this.#trusted = new Set(trustedAddresses);
    this.#timeoutMs = timeoutMs;
    this.#resolve = resolve ?? ((host) => lookup(host, { all: true }));
  }

  /** @throws DownloadError, or the error of the connection */
  async get(url: string, stopping?: AbortSignal): Promise<Download> {
    const signal = timeLimit(this.#timeoutMs, stopping);
    const { status, ...download } = await this.#follow(url, signal, async (target) => {
      if (this.#robots && !(await this.#robots.allows(target, signal)))
        throw new DownloadError('robots.txt disallows it');
    });
    if (status < 200 || status > 299) throw new DownloadError(`status ${status}`);
    return download;
  }

  async #follow(
    url: string,
    signal: AbortSignal,
    check?: (target: URL) => Promise<void>,
  ): Promise<Download & { status: number }> {
    let target = new URL(url);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      this.#requireAllowed(target);
      await check?.(target);
      await this.turns.take(target.hostname, signal);
      const response = await this.#request(target, signal);
      const { statusCode: status = 0, headers } = response;
      if (status >= 300 && status <= 399 && headers.location && URL.canParse(headers.location, target)) {
        response.destroy();
        target = new URL(headers.location, target);
        continue;
      }
      const contentType = headers['content-type'] ?? '';
      const bytes = await readBody(response, contentType);
      // To Node, a body of unknown length ends with its connection, even if the signal cut that.
      signal.throwIfAborted();
      return { status, url: target.href, contentType, bytes };
    }
    throw new DownloadError(`more than ${MAX_REDIRECTS} redirects`);
  }

  #requireAllowed(target: URL): void {
    if (!/^https?:$/.test(target.protocol)) throw new DownloadError(`not a web page: ${target.protocol}`);
    if (target.port && Number(target.port) < FIRST_UNPRIVILEGED_PORT && target.port !== '80' && target.port !== '443')
      throw new DownloadError(`port ${target.port} is not allowed for web pages`);
    // Credentials in a URL were a person's.
    target.username = target.password = '';
    const host = target.hostname.replace(/^\[|]$/g, '');
    if (isIP(host)) this.#requirePublic(host);
  }

  #requirePublic(address: string): void {
    if (!this.#trusted.has(address) && !isPublic(address)) throw new DownloadError('the address is not public');
  }

  /** Names are resolved as part of the connection, which goes to just the addresses that were checked. */
  readonly #lookup: LookupFunction = (host, options, callback) => {
    this.#resolve(host)
      .then((addresses) => {
        if (addresses.length === 0) throw new DownloadError('the host has no address');
        for (const { address } of addresses) this.#requirePublic(address);
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      })
      .catch((error: Error) => callback(error, []));
  };

  async #request(target: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { request } = target.protocol === 'https:' ? https : http;
    const headers = {
      'User-Agent': USER_AGENT,
      Accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5',
      'Accept-Encoding': 'gzip, br',
    };
    // A connection for each request: one that is kept was checked for another name.
    const outgoing = request(target, { agent: false, lookup: this.#lookup, signal, headers });
    // Once there is a response, its reader gets the error.
    outgoing.on('error', () => undefined);
    // In place of a response comes a connection for another protocol, which nobody asked for.
    outgoing.on('upgrade', ({ statusCode }: IncomingMessage, socket: Duplex) => {
      socket.destroy();
      outgoing.emit('error', new DownloadError(`status ${statusCode}`));
    });
    outgoing.end();
    // With the signal, because a request may close without any event.
    const [response] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
    return response;
  }
}

/** The decoded body; empty for a type of file of which only the name is used. */
async function readBody(response: IncomingMessage, contentType: string): Promise<Uint8Array> {
  try {
    if (!/^\s*$|html|text\/plain|pdf/i.test(contentType)) return new Uint8Array();
    const raw = await readBounded(response);
    const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding === 'identity') return raw;
    // The end may have been cut off.
    if (encoding === 'gzip' || encoding === 'x-gzip')
      return await readBounded(Readable.from([raw]).pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })));
    if (encoding === 'br')
      return await readBounded(
        Readable.from([raw]).pipe(createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })),
      );
    throw new DownloadError('its encoding was not requested');
  } finally {
    response.destroy();
  }
}

async function readBounded(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES);
}
