let counter = 0;

/** A globally unique key. Keys of one process sort in order of creation. */
export function newKey(): string {
  const began = Math.floor(performance.timeOrigin).toString(36).padStart(9, '0');
  const random = crypto.getRandomValues(new Uint32Array(2)).join('');
  return `${began}-${(++counter).toString(36).padStart(6, '0')}-${random}`;
}
