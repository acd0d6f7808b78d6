import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ statements: number }>();

/** Runs a request; `counted` tells at any time how many statements were sent for it. */
export function countStatements(run: () => void): { statements: number } {
  const counted = { statements: 0 };
  current.run(counted, run);
  return counted;
}

/** To be called for every statement; does nothing outside of a counted request. */
export function countStatement(): void {
  const counted = current.getStore();
  if (counted) counted.statements++;
}
