/** Settles like `promise`, or rejects with what `late` returns if that takes longer than `ms`; the work itself continues. */
export function before<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
