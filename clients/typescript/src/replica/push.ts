import { type Article, type ArticlePatch, isTombstone } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { BatchResponse, BatchRequest } from '../wire/batch.js';
import type { Client } from '../wire/client.js';
import type { CallOptions } from '../wire/transport.js';
import { creationOf, type Entry, isInDoubt, isPending, patchOf, sending, unsent } from './entry.js';
import {
  adopt,
  fold,
  merge,
  mergeDeletion,
  type Outcome,
  refuseDraft,
  refusePatch,
  refuseRemoval,
  settle,
} from './merge.js';
import type { Mirror, Transaction } from './mirror.js';
import { readRecord } from './record.js';

/** The context of a sync. */
export interface Sync {
  mirror: Mirror;
  client: Client;
  call: CallOptions;
  /** Counts for the result. */
  pushed: number;
  pulled: number;
  /** Changes that could not be sent, by key: the next sync sends them, last. */
  failures: Map<string, ReadingListError>;
  failedBefore: ReadonlySet<string>;
  failuresInARow: number;
  /** How often changes were sent and fetched in this sync. */
  rounds: number;
  /** A request got no response: changes are sent one by one, as something on the way may cut off a single one. */
  isCut?: boolean;
  /** Called with a record that was set aside, and its `id` if that can be read. */
  tellOdd: (error: ReadingListError, id: string | undefined) => void;
}

interface PendingRequest {
  key: string;
  request: BatchRequest;
  /** An earlier attempt got no response: the server may have carried it out. */
  isInDoubt: boolean;
}

/** `outdated`: a record has a version that the device does not know yet, so pull and push again. */
export type PushResult = 'done' | 'outdated';

/** How many requests in a row may fail before the rest is left to the next sync: the service is probably unavailable. */
const MAX_FAILURES = 3;

/**
 * Sends all pending changes, deletions first, except those that failed in this sync. After a request without a response
 * it stops: the pull shows whether others get through.
 */
export function push(sync: Sync): Promise<PushResult> {
  const entries = sync.mirror.pending().filter(({ key }) => !sync.failures.has(key));
  return pushKeys(sync, inOrder(entries, sync.failedBefore)).catch((error: ReadingListError) => {
    if (!isCut(error)) throw error;
    sync.isCut = true;
    return 'outdated';
  });
}

const isCut = ({ kind, isUnserved }: ReadingListError): boolean => kind === 'network' && !isUnserved;

/** Sends changes in batches if the service accepts them. One that fails does not stop the others. */
async function pushKeys(
  sync: Sync,
  keys: string[],
  isBatch = sync.client.canBatch && !sync.isCut,
): Promise<PushResult> {
  const { service } = sync.mirror.state;
  const size = isBatch ? (service?.batchLimit ?? 25) : 1;
  let result: PushResult = 'done';
  for (let start = 0; start < keys.length && sync.failuresInARow < MAX_FAILURES; start += size)
    if ((await pushSome(sync, keys.slice(start, start + size))) === 'outdated') result = 'outdated';
  return result;
}

/**
 * Keys in order: deletions before creations, because they may free a URL, and last what failed before, except creations
 * in doubt that were removed: another one of that URL would adopt the record.
 */
function inOrder(entries: Entry[], failedBefore: Sync['failedBefore']): string[] {
  const rank = ({ key, removal, base }: Entry) =>
    failedBefore.has(key) && (base || !removal) ? 3 : removal ? 0 : base ? 1 : 2;
  return entries.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1)).map(({ key }) => key);
}

async function pushSome(sync: Sync, keys: string[]): Promise<PushResult> {
  const { mirror, client } = sync;
  // Records first what is about to be sent, because after a crash it is unknown whether it arrived.
  const pending = await mirror.mutate(
    () => keys,
    (transaction) => keys.flatMap((key) => prepare(sync, transaction, key)),
  );
  if (pending.length === 0) return 'done';
  const responses = await send(
    sync,
    pending.map(({ request }) => request),
  ).catch((error: unknown): Received[] => {
    if (!(error instanceof ReadingListError) || (pending.length > 1 && isFinal(error))) throw error;
    return pending.map(() => ({ status: error.status ?? 0, error }));
  });
  const ids = responses.flatMap(({ body }) => mirror.keyOfId((body as Partial<Article> | undefined)?.id ?? '') ?? []);
  const results = await mirror.mutate(
    () => [...keys, ...ids],
    (transaction) => pending.map((item, index) => apply(transaction, item, responses[index]!)),
  );
  sync.pushed += results.filter((result) => result === 'done').length;
  const result = results.includes('outdated') ? 'outdated' : 'done';
  const failed = pending.flatMap(({ key }, at) => (results[at] instanceof ReadingListError ? [key] : []));
  const errors = results.filter((one) => one instanceof ReadingListError);
  // Whatever is sent before `Retry-After` is refused as well.
  const limit = errors.find(({ status }) => status === 429);
  const error = limit ?? errors[0];
  if (failed.length < pending.length) sync.failuresInARow = 0;
  if (!error) return result;
  // The batch endpoint does not accept the credentials, though the others may.
  const isUnsuitable = error.errno === 104 || error.status === 405;
  // Or something on the way blocks a whole batch because of one change.
  const isBlocked = pending.length > 1 && (isUnsuitable || error.kind === 'protocol');
  // A batch may end early because its response is long.
  if ((failed.length === pending.length && !isBlocked) || limit) {
    // The next round finds out which one of a batch it was.
    if (pending.length === 1 || !isCut(error)) failed.forEach((key, at) => sync.failures.set(key, errors[at]!));
    if (limit || (error.kind !== 'busy' && error.kind !== 'protocol')) throw error;
    sync.failuresInARow++;
    return result;
  }
  const rest = await pushKeys(sync, failed, !isBlocked && client.canBatch);
  // Only now, as without credentials a batch is refused in the same way.
  if (isUnsuitable) client.canBatch = false;
  return rest === 'done' ? result : 'outdated';
}

function prepare({ rounds }: Sync, transaction: Transaction, key: string): PendingRequest[] {
  const entry = transaction.get(key);
  if (!entry || !isPending(entry)) return [];
  const wasInDoubt = isInDoubt(entry);
  if (entry.draft) {
    // Removed before it was sent: can be undone until the service has responded.
    if (entry.removal && !wasInDoubt) return (rounds > 0 && transaction.delete(key), []);
    // Resends exactly what was sent before: whichever request creates the record, its contents are known.
    const sent = entry.sent ?? entry.draft;
    transaction.set({ ...entry, sent });
    return [{ key, request: { method: 'POST', path: '/articles', body: creationOf(sent) }, isInDoubt: wasInDoubt }];
  }
  const { id, last_modified } = entry.base!;
  const request = { path: `/articles/${id}`, headers: { 'If-Unmodified-Since': String(last_modified) } };
  if (entry.removal) {
    transaction.set({ ...entry, removal: { ...entry.removal, sent: true } });
    return [{ key, request: { method: 'DELETE', ...request }, isInDoubt: wasInDoubt }];
  }
  const body = patchOf(entry);
  transaction.set(sending(entry, body));
  return [{ key, request: { method: 'PATCH', ...request, body }, isInDoubt: wasInDoubt }];
}

type Received = Partial<BatchResponse> & Pick<BatchResponse, 'status'>;

async function send({ client, call }: Sync, requests: BatchRequest[]): Promise<Received[]> {
  if (requests.length > 1) return client.batch(requests, { ...call, limit: requests.length });
  const { method, path, ...rest } = requests[0]!;
  const { data: body, ...response } = await client.send(method, path, call, rest);
  return [{ ...response, body }];
}

/** Whether repeating the request would always fail in the same way. */
const isFinal = ({ kind }: ReadingListError): boolean => kind === 'refused';

type Result = 'done' | 'outdated' | 'refused' | ReadingListError;

function apply(
  transaction: Transaction,
  { key, request, isInDoubt: wasInDoubt }: PendingRequest,
  response: Received,
): Result {
  const entry = transaction.get(key);
  const { error } = response;
  if (error && !isFinal(error)) {
    if (entry && error.isUnserved && !wasInDoubt) transaction.set(unsent(entry));
    return error;
  }
  // Without locks another tab may have sent the creation as well.
  if (!entry || (request.method === 'POST' && !entry.draft)) return 'done';
  if (response.status === 412) {
    if (request.method === 'PATCH' && !wasInDoubt) transaction.set(unsent(entry));
    return 'outdated';
  }
  if (error) {
    if (response.status === 404 && request.method !== 'POST') {
      put(transaction, entry, mergeDeletion(entry));
      return entry.removal ? 'done' : 'refused';
    }
    put(transaction, entry, refuse(entry, request, error));
    return 'refused';
  }
  const article = readRecord(response.body);
  if (article instanceof ReadingListError) return article;
  const isRemoval = request.method === 'DELETE';
  const isOther = entry.base !== undefined && entry.base.id !== article.id;
  if (isOther || isTombstone(article) !== isRemoval)
    return new ReadingListError('protocol', 'the response is not the article that was sent', {
      status: response.status,
    });
  if (isTombstone(article)) return put(transaction, entry, { entry: undefined });
  if (request.method === 'PATCH')
    return put(transaction, entry, { entry: settle(entry, request.body as ArticlePatch, article) });
  return applyCreation(transaction, entry, { created: response.status === 201, article, wasInDoubt });
}

function refuse(entry: Entry, { method, body }: BatchRequest, error: ReadingListError): Outcome {
  if (method === 'POST') return refuseDraft(entry, error);
  return method === 'DELETE' ? refuseRemoval(entry, error) : refusePatch(entry, body as ArticlePatch, error);
}

function applyCreation(
  transaction: Transaction,
  entry: Entry,
  { created, article, wasInDoubt }: { created: boolean; article: Article; wasInDoubt: boolean },
): Result {
  const otherKey = transaction.keyOfId(article.id);
  const other = otherKey === undefined || otherKey === entry.key ? undefined : transaction.get(otherKey);
  // The record with the same URL has yet to be deleted; the draft comes after that.
  if (other?.removal && !entry.removal) {
    const { sent: _sent, ...draft } = entry;
    transaction.set(draft);
    return 'outdated';
  }
  const outcome = adopt(entry, article, created, wasInDoubt);
  if (!other || !outcome.entry) return put(transaction, entry, outcome);
  transaction.delete(entry.key);
  noteConflict(transaction, outcome);
  // The response is newer than what the other entry's edits were made on.
  const merged = merge(other, article);
  noteConflict(transaction, merged);
  return put(transaction, entry, fold(merged.entry!, outcome.entry));
}

/** Stores an outcome of what the server said. */
export function put(transaction: Transaction, before: Entry, outcome: Outcome): 'done' {
  const { entry } = outcome;
  if (!entry) transaction.delete(before.key);
  else transaction.set(entry.base ? { ...entry, seen: transaction.state.walk?.full } : entry);
  noteConflict(transaction, outcome);
  return 'done';
}

/** Stores the conflict of an outcome, if any, until it is reported. */
export function noteConflict(transaction: Transaction, { conflict }: Outcome): void {
  const { state } = transaction;
  if (conflict) transaction.state = { ...state, conflicts: [...(state.conflicts ?? []), conflict] };
}
