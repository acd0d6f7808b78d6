import type { ReadingListError } from '../errors.js';
import type { Storage } from '../storage/storage.js';
import type { Prefetched, Synchronizer } from './synchronizer.js';

const DEFAULT_INTERVAL_SECONDS = 300;
/** Collects consecutive edits into one sync. */
const EDIT_DELAY_MS = 150;
const FIRST_RETRY_MS = 1_000;

/**
 * Syncs automatically: after local changes, when the device comes online or the page becomes visible, when a waiting
 * poll reports a change (if the service supports that), and at an interval with jitter. Only one of several tabs does
 * this.
 */
export class AutomaticSync {
  readonly #stopping = new AbortController();
  /** Ends the loop's current wait. */
  #wake: (() => void) | undefined;
  #isDue = true;
  #failures = 0;
  /** Consecutive polls that the server, or something in between, cut off. */
  #brokenPolls = 0;
  readonly #intervalMs: number;
  readonly #synchronizer: Synchronizer;

  constructor(synchronizer: Synchronizer, intervalSeconds = DEFAULT_INTERVAL_SECONDS) {
    this.#synchronizer = synchronizer;
    this.#intervalMs = Math.max(intervalSeconds || 0, 1) * 1000;
  }

  /** Starts once no other tab syncs automatically. */
  start(storage: Storage): void {
    const { signal } = this.#stopping;
    const onVisible = () => void (document.visibilityState === 'visible' && this.trigger());
    // Going offline ends a held poll, so that the status is true.
    for (const event of ['online', 'offline']) globalThis.addEventListener?.(event, () => this.trigger(), { signal });
    globalThis.document?.addEventListener('visibilitychange', onVisible, { signal });
    storage.lock('automatic', () => this.#loop(), signal).catch(() => undefined);
  }

  stop(): void {
    this.#stopping.abort();
    this.#wake?.();
  }

  /** Requests a sync now. */
  trigger(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    let waitSeconds = await this.#learnWait();
    let prefetched: Prefetched | undefined;
    while (!signal.aborted) {
      await this.#pause(this.#synchronizer.notBefore - performance.now(), false);
      if (signal.aborted) return;
      this.#isDue = false;
      const error = await this.#synchronizer.sync(prefetched).then(
        () => undefined,
        (reason: ReadingListError) => reason,
      );
      prefetched = undefined;
      if (error?.kind === 'gone') return;
      this.#failures = error ? this.#failures + 1 : 0;
      if (error) {
        await this.#pause(this.#retryDelay(this.#failures), true);
      } else {
        waitSeconds ??= await this.#learnWait();
        prefetched = await this.#untilSomethingChanges(waitSeconds ?? 0);
      }
      if (this.#isDue) await this.#pause(EDIT_DELAY_MS, false);
    }
  }

  async #learnWait(): Promise<number | undefined> {
    return (await this.#synchronizer.learn().catch(() => undefined))?.waitSeconds;
  }

  /** Sends waiting polls if the server supports them, otherwise sleeps. */
  async #untilSomethingChanges(waitSeconds: number): Promise<Prefetched | undefined> {
    const end = performance.now() + jittered(this.#intervalMs);
    while (waitSeconds > 0 && !this.#isOver(end)) {
      if (this.#synchronizer.notBefore > performance.now()) break;
      const begun = performance.now();
      const found = await this.#poll(waitSeconds);
      this.#brokenPolls = found === 'broken' ? this.#brokenPolls + 1 : 0;
      if (typeof found === 'object') return found;
      // The next sync will find and report the cause.
      if (found === 'broken') return void (await this.#pause(this.#retryDelay(this.#brokenPolls), true));
      // If the server, or a proxy in front of it, responds immediately, polling would loop without pause.
      if (found === 'unsupported' || performance.now() - begun < 500) break;
    }
    return void (await this.#pause(end - performance.now(), true));
  }

  #isOver(end: number): boolean {
    return this.#isDue || this.#stopping.signal.aborted || performance.now() >= end;
  }

  async #poll(seconds: number): Promise<Prefetched | 'unchanged' | 'unsupported' | 'broken'> {
    const abort = new AbortController();
    this.#wake = () => abort.abort();
    try {
      return await this.#synchronizer.waitForChange(seconds, abort.signal);
    } catch {
      return abort.signal.aborted || this.#stopping.signal.aborted ? 'unchanged' : 'broken';
    } finally {
      this.#wake = undefined;
    }
  }

  #retryDelay(failures: number): number {
    const backoff = FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16);
    return jittered(Math.min(backoff, this.#intervalMs));
  }

  /** Waits. `trigger` ends it early if `isInterruptible`, `stop` always. */
  async #pause(milliseconds: number, isInterruptible: boolean): Promise<void> {
    const { signal } = this.#stopping;
    if (milliseconds <= 0 || signal.aborted || (isInterruptible && this.#isDue)) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1));
      if (isInterruptible) this.#wake = end;
      signal.addEventListener('abort', end);
    });
    this.#wake = undefined;
  }
}

/** Up to 20% more or less, so that devices do not synchronise with each other. */
const jittered = (milliseconds: number): number => milliseconds * (0.8 + 0.4 * Math.random());
