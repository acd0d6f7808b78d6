import { channel } from 'node:diagnostics_channel';
import { LRUCache } from 'lru-cache';
import { type ApiError, serviceUnavailable } from '../../protocol/api-error.js';
import { before } from '../../time-limit.js';

/** For a call to the identity provider, and for a response that needs one: clients should have it within five seconds. */
export const PROVIDER_LIMIT_MS = 4800;

/** A call to the identity provider, for metrics; `failure` is undefined if there was a response. */
export type ProviderCall = { durationMs: number; failure?: unknown };
export const providerCalls = channel('reading-list:provider-call');

/** 503 / 201: the provider is down or its response useless. Of the failure only the code is kept: its details may contain tokens. */
export function providerUnavailable(reason: string, failure?: unknown): ApiError {
  const cause = new Error(codeOf(failure) ?? reason);
  return serviceUnavailable(`The identity provider is not available: ${reason}`, cause);
}

function codeOf(failure: unknown): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  const { code } = failure as NodeJS.ErrnoException;
  return code ?? codeOf(failure.cause) ?? failure.name;
}

/** `fetch` without redirects (a secret would be sent along), limited in size and, unless there is a signal, in time. */
export async function boundedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const start = performance.now();
  const report = (failure?: unknown) =>
    providerCalls.publish({ durationMs: performance.now() - start, failure } satisfies ProviderCall);
  try {
    const signal = init.signal ?? AbortSignal.timeout(PROVIDER_LIMIT_MS);
    const { status, headers, body } = await fetch(url, { ...init, redirect: 'manual', signal });
    const content = await readBounded(body);
    const response = new Response(content.length > 0 ? content : null, { status, headers });
    // openid-client would report the challenge instead of the error in the body.
    response.headers.delete('www-authenticate');
    report();
    return response;
  } catch (failure) {
    report(failure);
    throw failure;
  }
}

async function readBounded(body: Response['body']): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > 512 * 1024) throw providerUnavailable('its response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Rejects with 503 / 201 when `work` takes longer than `limitMs`; the work itself continues. */
export const withinLimit = <T>(work: Promise<T>, limitMs: number = PROVIDER_LIMIT_MS): Promise<T> =>
  before(limitMs, work, () => providerUnavailable('no response in time'));

/** A cache for what is read from the provider. A stale value is refreshed in the background, and serves until that succeeds. */
export const readNowAndThen = <T extends object>(ttl: number, read: (key: string) => Promise<T>) =>
  new LRUCache<string, T>({
    max: 1,
    ttl,
    ttlResolution: 0,
    allowStale: true,
    ignoreFetchAbort: true,
    fetchMethod: (key, known, { options }) =>
      read(key).catch((error: unknown) => {
        if (!known) throw error;
        // Not every token should ask a provider that is down.
        options.ttl = 10_000;
        return known;
      }),
  });
