/** Settles like `promise`, or rejects with `late` if that takes longer than `ms`; the work itself continues. */
export function before<T>(ms: number, promise: Promise<T>, late: Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late), ms)));
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
