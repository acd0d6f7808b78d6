import type { BatchEntry } from '../protocol/batch-request.js';
import { pathOf } from '../http/request/query-string.js';
import type { Headers } from './entry-messages.js';

/** An entry and its place in the batch. */
export interface Step {
  at: number;
  entry: BatchEntry;
  /** With those that it inherits. */
  headers: Headers;
  /** Set if it was already counted for the rate limit; rejects with 429 if that was too many. */
  admission?: Promise<void>;
}

const IN_TRANSACTION = /^((GET|HEAD|POST) \/v2\/articles|(GET|HEAD|PATCH|DELETE) \/v2\/articles\/[^/]+)$/;
const ALONE = 'DELETE /v2/articles';

const routeOf = ({ entry: { method, url } }: Step): string => `${method} ${pathOf(url)}`;

/** True for what reads or changes articles in the transaction of the batch. */
export const isInTransaction = (step: Step): boolean => IN_TRANSACTION.test(routeOf(step));

/** True for the deletion of the collection, which commits what came before and runs in transactions of its own. */
export const isAlone = (step: Step): boolean => routeOf(step) === ALONE;

/** True for what is about articles; the others may wait for anything. */
export const isAboutArticles = (step: Step): boolean => isInTransaction(step) || isAlone(step);

/** Steps in groups that share a transaction each. */
export function inGroups(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const [index, step] of steps.entries()) {
    const isNext = index === 0 || isAlone(step) || isAlone(steps[index - 1]!);
    if (isNext) groups.push([step]);
    else groups.at(-1)!.push(step);
  }
  return groups;
}
