import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Item, send } from './devices.js';

/** The options of a waiting poll; by default 20 seconds, on GET of all changes. */
export interface Wait {
  prefer?: string;
  method?: 'GET' | 'HEAD';
  query?: string;
  headers?: Record<string, string>;
}

/** The response to a poll, and how long it took. */
export type Waited = Answer & { seconds: number };

/** A waiting poll for changes after `since`. */
export async function waitingPoll(base: string, user: string, since: number, wait: Wait = {}): Promise<Waited> {
  const { prefer = 'wait=20', method = 'GET', query = `_since=${since}`, headers } = wait;
  const start = performance.now();
  const all = { 'if-modified-since': String(since), prefer, ...headers };
  const answer = await send(base, user, method, `/articles?${query}`, undefined, all);
  return { ...answer, seconds: (performance.now() - start) / 1000 };
}

/** The timestamp of the user's collection. */
export async function timestampOf(base: string, user: string): Promise<number> {
  return Number((await send(base, user, 'HEAD', '/articles')).headers.get('last-modified'));
}

/** Resolves when the condition holds; rejects after twenty seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await sleep(10))
    if (Date.now() > end) throw new Error(`never came true: ${condition.toString()}`);
}

/** Work that goes on while a test does other things; what fails is thrown where the result is awaited. */
export function inBackground<T>(work: Promise<T>[]): Promise<T[]> {
  const all = Promise.all(work);
  // Otherwise a failure before that would be an unhandled rejection, which ends the whole run.
  all.catch(() => undefined);
  return all;
}

/** A device that follows `Last-Modified` with waiting polls. Uses `bases` in turn and stores items by id. */
export class WaitingDevice {
  readonly items = new Map<string, Item>();
  /** How often each status was received. */
  readonly statuses: Record<number, number> = {};
  private turn = 0;

  constructor(
    private readonly bases: readonly string[],
    private readonly user: string,
    private since: number,
    private readonly prefer = 'wait=20',
  ) {}

  /** One poll. */
  async poll(): Promise<void> {
    const base = this.bases[this.turn++ % this.bases.length]!;
    const { status, headers, body } = await waitingPoll(base, this.user, this.since, { prefer: this.prefer });
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status !== 200) return sleep(Math.random() * 200);
    if (headers.has('next-page')) throw new Error('more than one page');
    for (const item of body.items) this.items.set(item.id, item);
    this.since = Number(headers.get('last-modified'));
  }

  /** Polls until it has this many items. */
  async pollUntil(count: number): Promise<void> {
    while (this.items.size < count) await this.poll();
  }
}
