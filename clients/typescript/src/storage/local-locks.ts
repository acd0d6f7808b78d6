import { untilAborted } from '../abort.js';

/** Locks between users of the same object in one process. */
export class LocalLocks {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier calls with the same name; aborting the signal ends the wait. */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.tails.get(name) ?? Promise.resolve();
    const mine = untilAborted(before, signal).then(work);
    // A caller that gives up waiting does not let others in.
    const tail = Promise.allSettled([before, mine]);
    this.tails.set(name, tail);
    void tail.then(() => this.tails.get(name) === tail && this.tails.delete(name));
    return mine;
  }
}
