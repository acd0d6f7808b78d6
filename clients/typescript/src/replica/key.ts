let counter = 0;

/** A key that no other device or tab makes. Those of one process sort in the order in which they were made. */
export function newKey(): string {
  const began = Math.floor(performance.timeOrigin).toString(36).padStart(9, '0');
  const random = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0'));
  return `${began}-${(++counter).toString(36).padStart(6, '0')}-${random.join('')}`;
}
