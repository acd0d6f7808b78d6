/** The outcome of `promise`, or a rejection with `late` when it takes longer than `ms`. */
export function before<T>(ms: number, promise: Promise<T>, late: Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late), ms)));
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
