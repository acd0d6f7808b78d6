import { setTimeout as sleep } from 'node:timers/promises';
import { givenDeployment } from './deployment.js';

const LONGEST_WAIT_SECONDS = 60;
/** How often one request is repeated that is refused for there being too many. */
export const MAX_REPEATS = 5;

/** What the limits of the deployment did to the run. */
export interface Slowdown {
  /** Requests that were answered 429 and repeated. */
  refused: number;
  /** How long `Backoff` and `Retry-After` asked to wait, in seconds. */
  seconds: number;
}

let next = 0;
/** What the deployment asked for: nothing is sent before. */
let notBefore = 0;
let slowdown: Slowdown = { refused: 0, seconds: 0 };

/** Waits until one more request may be sent to the given deployment: by the given rate, and by what it asked for. */
export async function requestTurn(): Promise<void> {
  const deployment = givenDeployment();
  if (!deployment) return;
  const now = performance.now();
  const at = Math.max(next, notBefore, now);
  next = at + 1000 / deployment.maxRate;
  if (at > now) await sleep(at - now);
  // Asked for by the answer to another request meanwhile.
  if (notBefore > performance.now()) await requestTurn();
}

/** Takes note of `Backoff` and `Retry-After` in an answer: the next request waits that long. */
export function noteWaitingTime(headers: Readonly<Record<string, unknown>>): void {
  if (!givenDeployment()) return;
  const seconds = Math.max(Number(headers['backoff'] ?? 0), Number(headers['retry-after'] ?? 0));
  if (!(seconds > 0)) return;
  const now = performance.now();
  const until = now + Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000;
  slowdown.seconds += Math.max(0, until - Math.max(now, notBefore)) / 1000;
  notBefore = Math.max(notBefore, until);
}

/** True for the answer to a request that is to be repeated in its turn: the deployment limits requests, and no case asks for that. */
export function isRefused(status: number | undefined): boolean {
  if (!givenDeployment() || status !== 429) return false;
  slowdown.refused++;
  return true;
}

/** What happened since the last call. */
export function takeSlowdown(): Slowdown {
  const taken = slowdown;
  slowdown = { refused: 0, seconds: 0 };
  return taken;
}

let fetchAtOnce: typeof fetch | undefined;

/** Makes `fetch` send in its turn, and again in its turn while there are too many requests. */
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
