import { untilAborted } from '../abort.js';
import { ReadingListError } from '../errors.js';
import { type Alert, parse, readAlert, readInteger, readRetryAfter } from './headers.js';
import { errorOf } from './refusal.js';

/**
 * The value of the `Authorization` header, or a function that returns it, which is called once more after a 401. Its time
 * counts towards `timeoutMs`.
 */
export type Authorization = string | (() => string | Promise<string>);

/** What the headers of a response tell the device. */
export interface Notice {
  status: number;
  /** For how long to send only requests that the user triggers. */
  backoffSeconds?: number | undefined;
  retryAfterSeconds?: number | undefined;
  alert?: Alert | undefined;
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How long to wait for the whole response, in milliseconds; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Called before each request that is sent. */
  onRequest?: (() => void) | undefined;
  /** Called with the notice of each response. */
  onResponse?: ((notice: Notice) => void) | undefined;
}

export interface TransportOptions {
  authorization: Authorization;
  fetch?: typeof globalThis.fetch | undefined;
  onResponse?: ((notice: Notice) => void) | undefined;
}

/** A request. */
export interface Message {
  method: string;
  url: string;
  /** Those that are undefined are not sent. */
  headers?: Record<string, string | number | undefined>;
  body?: string | undefined;
}

/** A response of the service, of status 200 to 399. */
export interface Result {
  status: number;
  headers: Headers;
  /** The body; `{}` if there is none. */
  data: object;
}

const TIMEOUT_MS = 30_000;
/** What Node says if there was no connection; browsers do not tell. */
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/**
 * Sends requests with the user's authorization and returns complete responses of the service, of status 200 to 399; anything
 * else rejects with a ReadingListError.
 */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  async send(message: Message, call: CallOptions = {}): Promise<Result> {
    for (let isRetry = false; ; isRetry = true) {
      const result = await this.#exchange(message, call);
      if (!(result instanceof ReadingListError)) return result;
      const isRefreshable = result.status === 401 && result.kind === 'auth';
      if (isRetry || !isRefreshable || typeof this.#options.authorization === 'string') throw result;
    }
  }

  async #exchange({ method, url, headers, body }: Message, call: CallOptions): Promise<Result | ReadingListError> {
    const { signal, timeoutMs = TIMEOUT_MS, onRequest, onResponse } = call;
    const { authorization, fetch = globalThis.fetch } = this.#options;
    const abort = new AbortController();
    const onAbort = () => abort.abort(signal?.reason);
    const timer = setTimeout(() => abort.abort(new Error('no response')), timeoutMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    let isUnserved = true;
    try {
      const credentials = typeof authorization === 'string' ? authorization : authorization();
      const fields = { ...headers, Authorization: (await untilAborted(credentials, abort.signal)) || undefined };
      const given = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      );
      onRequest?.();
      isUnserved = globalThis.navigator?.onLine === false;
      // Without the browser's cache, as a poll has to reach the service; with cookies, if it is on the page's own origin, for a
      // gateway in front of both.
      const response = await fetch(url, {
        method,
        headers: Object.fromEntries(given) as Record<string, string>,
        body,
        cache: 'no-store',
        credentials: 'same-origin',
        signal: abort.signal,
      });
      isUnserved = false;
      const text = method === 'HEAD' || response.status === 304 ? '' : await response.text();
      const notice = noticeOf(response);
      onResponse?.(notice);
      this.#options.onResponse?.(notice);
      return judge(method, url, response, text);
    } catch (cause) {
      // An error of the application's own `authorization`.
      if (cause instanceof ReadingListError) throw cause;
      // Node's own message is only "fetch failed".
      const { message, cause: origin } = Object(cause) as Error & { cause?: { code?: string; message?: string } };
      const code = origin?.code;
      isUnserved ||= UNREACHABLE.test(code ?? '');
      const reason = [message || String(cause), code ?? origin?.message].filter(Boolean).join(': ');
      throw new ReadingListError('network', `${method} ${url}: ${reason}`, { cause, isUnserved });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** The response with its body, or the error in it. */
function judge(method: string, url: string, { status, headers }: Response, text: string): Result | ReadingListError {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('Content-Type') ?? '');
  const isHead = method === 'HEAD';
  if (status >= 400) return errorOf(status, headers, parse(text), isHead ? isJson : undefined);
  if (status === 304 || (isHead && status === 200)) return { status, headers, data: {} };
  const data = isJson && status < 300 ? parse(text) : undefined;
  if (typeof data === 'object' && data !== null) return { status, headers, data };
  return new ReadingListError('protocol', `${url}: HTTP ${status}, but not from the service`, { status });
}

function noticeOf({ status, headers }: Response): Notice {
  return {
    status,
    backoffSeconds: readInteger(headers, 'Backoff'),
    retryAfterSeconds: readRetryAfter(headers),
    alert: readAlert(headers),
  };
}
