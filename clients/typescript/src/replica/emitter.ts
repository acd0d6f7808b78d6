/** Listeners by the name of an event. A listener that throws does not keep the others from hearing. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(detail: never) => void>>();

  /** Calls the listener with each event of that name until the result is called. */
  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all);
    all.add(listener);
    return () => void all.delete(listener);
  }

  has(event: keyof Events): boolean {
    return (this.listeners.get(event)?.size ?? 0) > 0;
  }

  emit<Name extends keyof Events>(event: Name, detail: Events[Name]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) callSafely(listener as never, detail);
  }
}

/** Calls a listener of the application; its exceptions are seen as uncaught ones, and change nothing else. */
export function callSafely<T>(listener: (detail: T) => void, detail: T): void {
  try {
    listener(detail);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
