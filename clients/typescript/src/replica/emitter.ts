/** An event emitter. A listener that throws does not affect the others. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();

  /** Calls the listener for each event of that name until the returned function is called. */
  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    const all = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, all);
    // The same function may be given twice.
    const own = (detail: Events[Name]) => listener(detail);
    all.add(own);
    return () => void all.delete(own);
  }

  has(event: keyof Events): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0;
  }

  emit<Name extends keyof Events>(event: Name, detail: Events[Name]): void {
    const all = this.#listeners.get(event);
    for (const listener of [...(all ?? [])]) if (all!.has(listener)) callSafely(listener as never, detail);
  }
}

/** Calls a listener of the application; its exceptions surface as uncaught errors and have no other effect. */
export function callSafely<T>(listener: (detail: T) => void, detail: T): void {
  try {
    listener(detail);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
