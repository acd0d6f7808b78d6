import { pathOf } from '../http/request/request-url.js';
import type { BatchEntry } from '../protocol/batch-request.js';
import type { Headers } from './entry-messages.js';

/**
 * Where an entry runs: in the transaction of the batch if it reads or changes articles; alone if it deletes the
 * collection, which commits what came before and takes transactions of its own; outside, where it may wait for anything.
 */
export type Place = 'inTransaction' | 'alone' | 'outside';

/** An entry and its place in the batch. */
export interface Step {
  at: number;
  entry: BatchEntry;
  /** With those that it inherits. */
  headers: Headers;
  place: Place;
  /** Set if it was already counted for the rate limit; rejects with 429 if that was too many. */
  admission?: Promise<void>;
}

const IN_TRANSACTION = /^((GET|HEAD|POST) \/v2\/articles|(GET|HEAD|PATCH|DELETE) \/v2\/articles\/[^/]+)$/;
const ALONE = 'DELETE /v2/articles';

export function placeOf({ method, url }: BatchEntry): Place {
  const route = `${method} ${pathOf(url)}`;
  if (route === ALONE) return 'alone';
  return IN_TRANSACTION.test(route) ? 'inTransaction' : 'outside';
}

/** Steps about articles in groups that share a transaction each. */
export function inGroups(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  let isShared = false;
  for (const step of steps) {
    const joins = isShared && step.place === 'inTransaction';
    if (joins) groups.at(-1)!.push(step);
    else groups.push([step]);
    isShared = step.place === 'inTransaction';
  }
  return groups;
}
