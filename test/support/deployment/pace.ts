import { setTimeout as sleep } from 'node:timers/promises';
import { givenDeployment } from './deployment.js';

const LONGEST_WAIT_SECONDS = 60;
/** How often to retry a request that was refused with 429. */
export const MAX_REPEATS = 5;

/** How the deployment's rate limits affected the run. */
export interface Slowdown {
  /** Requests that got a 429 and were retried. */
  refused: number;
  /** The total wait requested by `Backoff` and `Retry-After`, in seconds. */
  seconds: number;
}

let next = 0;
/** The earliest time for the next request, as requested by the deployment. */
let notBefore = 0;
let slowdown: Slowdown = { refused: 0, seconds: 0 };

/** Waits until another request may be sent to the deployment, by the given rate and by its headers. */
export async function requestTurn(): Promise<void> {
  const deployment = givenDeployment();
  if (!deployment) return;
  const now = performance.now();
  const at = Math.max(next, notBefore, now);
  next = at + 1000 / deployment.maxRate;
  if (at > now) await sleep(at - now);
  // Requested in the meantime by another response.
  if (notBefore > performance.now()) await requestTurn();
}

/** Reads `Backoff` and `Retry-After` of a response: the next request waits that long. */
export function noteWaitingTime(headers: Readonly<Record<string, unknown>>): void {
  if (!givenDeployment()) return;
  const seconds = Math.max(Number(headers['backoff'] ?? 0), Number(headers['retry-after'] ?? 0));
  if (!(seconds > 0)) return;
  const now = performance.now();
  const until = now + Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000;
  slowdown.seconds += Math.max(0, until - Math.max(now, notBefore)) / 1000;
  notBefore = Math.max(notBefore, until);
}

/**
 * True for a response after which the request should be retried: the deployment's rate limit is not part of any case.
 */
export function isRefused(status: number | undefined): boolean {
  if (!givenDeployment() || status !== 429) return false;
  slowdown.refused++;
  return true;
}

/** The effects since the last call. */
export function takeSlowdown(): Slowdown {
  const taken = slowdown;
  slowdown = { refused: 0, seconds: 0 };
  return taken;
}

let fetchAtOnce: typeof fetch | undefined;

/** Makes `fetch` send at the deployment's pace, and retry while it responds 429. */
export function paceFetch(): void {
  if (fetchAtOnce) return;
  const send = (fetchAtOnce = globalThis.fetch);
  globalThis.fetch = async (...request) => {
    for (let repeats = 0; ; repeats++) {
      await requestTurn();
      const response = await send(...request);
      noteWaitingTime(Object.fromEntries(response.headers));
      if (repeats === MAX_REPEATS || !isRefused(response.status)) return response;
      await response.body?.cancel();
    }
  };
}
