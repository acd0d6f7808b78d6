/** Locks between users of the same object in one process. */
export class LocalLocks {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier calls with the same name; aborting the signal ends the wait. */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.tails.get(name) ?? Promise.resolve();
    const mine = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    const tail = mine.catch(() => undefined);
    this.tails.set(name, tail);
    void tail.then(() => this.tails.get(name) === tail && this.tails.delete(name));
    return mine;
  }
}
