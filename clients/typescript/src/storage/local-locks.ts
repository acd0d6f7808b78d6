/** Locks among the users of one object in one process. */
export class LocalLocks {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all that asked for the name before; an aborted signal gives up waiting. */
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
