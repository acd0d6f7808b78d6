import { setTimeout as sleep } from 'node:timers/promises';

const SPACING_MS = 1_000;

/** One request per host and second. */
export class HostTurns {
  /** When the next request may be sent, by host. */
  readonly #next = new Map<string, number>();

  isFree(host: string): boolean {
    return (this.#next.get(host) ?? 0) <= performance.now();
  }

  /** Waits until the host may be asked. */
  async take(host: string, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    for (const [other, next] of this.#next) if (next <= now) this.#next.delete(other);
    const turn = this.#next.get(host) ?? now;
    this.#next.set(host, turn + SPACING_MS);
    if (turn > now) await sleep(turn - now, undefined, { signal });
  }
}
