import type { MonotonicClock } from '../../config/settings.module.js';

/** How long a value counts as fresh, and how long after a failed load no other load is tried; in milliseconds. */
export interface Lifetimes {
  freshMs: number;
  failureMs: number;
}

/**
 * A value that is loaded when first needed and again when it is stale. Concurrent callers share one load. While loading
 * fails, the stale value is used; without one, the failure is thrown, and loading is not retried before `failureMs`.
 */
export class Remembered<T> {
  private loaded?: { value: T; at: number };
  private failed?: { error: unknown; at: number };
  private loading?: Promise<T>;

  constructor(
    private readonly load: () => Promise<T>,
    private readonly lifetimes: Lifetimes,
    private readonly clock: MonotonicClock,
  ) {}

  /** The value. Rejects with the failure of `load` only if no value was ever loaded. */
  async get(): Promise<T> {
    const loaded = this.loaded;
    if (!loaded) return this.refresh();
    if (this.clock() - loaded.at < this.lifetimes.freshMs) return loaded.value;
    return this.refresh().catch(() => loaded.value);
  }

  /** Loads again regardless of age. Rejects with the failure of `load`, or with a recent one without trying. */
  async refresh(): Promise<T> {
    if (this.failed && this.clock() - this.failed.at < this.lifetimes.failureMs) throw this.failed.error;
    return (this.loading ??= this.reload());
  }

  /** Makes the next `get` load again, unless the value is younger than `failureMs`. */
  expire(): void {
    if (this.loaded && this.clock() - this.loaded.at >= this.lifetimes.failureMs) this.loaded.at = -Infinity;
  }

  /** True when the latest load failed. */
  isFailing(): boolean {
    return this.failed !== undefined;
  }

  private async reload(): Promise<T> {
    try {
      const value = await this.load();
      this.loaded = { value, at: this.clock() };
      this.failed = undefined;
      return value;
    } catch (error) {
      this.failed = { error, at: this.clock() };
      throw error;
    } finally {
      this.loading = undefined;
    }
  }
}
