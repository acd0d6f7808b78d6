import { type Article, type ArticlePatch, type Conflict, type NewArticle } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { BatchResponse, BatchRequest } from '../wire/batch.js';
import type { Client } from '../wire/client.js';
import type { CallOptions } from '../wire/transport.js';
import { creationOf, type Entry, isInDoubt, isPending, patchOf, resentOf, sending, unsent } from './entry.js';
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

/** The context of a sync. */
export interface Sync {
  mirror: Mirror;
  client: Client;
  call: CallOptions;
  /** Counts for the result. */
  pushed: number;
  pulled: number;
}

interface PendingRequest {
  key: string;
  request: BatchRequest;
  /** An earlier attempt got no response: the server may have carried it out. */
  isInDoubt: boolean;
}

/** `outdated`: a record has a version that the device does not know yet, so pull and push again. */
export type PushResult = 'done' | 'outdated';

/** Sends all pending changes, deletions first, in batches if the service accepts them. */
export async function push(sync: Sync): Promise<PushResult> {
  const { mirror, client } = sync;
  await dropUnsent(mirror);
  const keys = inOrder(mirror.pending()).map(({ key }) => key);
  const { service } = mirror.state;
  const size = client.canBatch && keys.length > 1 ? (service?.batchLimit ?? 25) : 1;
  let result: PushResult = 'done';
  for (let start = 0; start < keys.length; start += size)
    if ((await pushSome(sync, keys.slice(start, start + size))) === 'outdated') result = 'outdated';
  return result;
}

/** Deletions before creations, because they may free a URL. */
function inOrder(entries: Entry[]): Entry[] {
  const rank = ({ removal, base }: Entry) => (removal ? 0 : base ? 1 : 2);
  return entries.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

/** Drops drafts that were removed before they were sent. */
async function dropUnsent(mirror: Mirror): Promise<void> {
  const isUnsent = ({ removal, draft, sent }: Entry) => removal !== undefined && draft !== undefined && !sent;
  const keys = mirror
    .pending()
    .filter(isUnsent)
    .map(({ key }) => key);
  if (keys.length === 0) return;
  await mirror.mutate(
    () => keys,
    (transaction) => {
      for (const key of keys) {
        const entry = transaction.get(key);
        if (entry && isUnsent(entry)) transaction.delete(key);
      }
    },
  );
}

async function pushSome(sync: Sync, keys: string[]): Promise<PushResult> {
  const { mirror } = sync;
  // Records first what is about to be sent, because after a crash it is unknown whether it arrived.
  const pending = await mirror.mutate(
    () => keys,
    (transaction) => keys.flatMap((key) => prepare(transaction, key)),
  );
  if (pending.length === 0) return 'done';
  const responses = await sendAll(
    sync,
    pending.map(({ request }) => request),
  ).catch((error: unknown) => {
    if (error instanceof ReadingListError && isFinal(error)) throw error;
    return pending.map(() => failedResponse(error));
  });
  const ids = responses.flatMap(({ body }) => mirror.keyOfId((body as Partial<Article> | undefined)?.id ?? '') ?? []);
  const results = await mirror.mutate(
    () => [...keys, ...ids],
    (transaction) => pending.map((item, index) => apply(transaction, item, responses[index]!)),
  );
  sync.pushed += results.filter((result) => result === 'done').length;
  const failure = results.find((result) => result instanceof ReadingListError);
  const failed = pending.flatMap(({ key }, at) => (results[at] instanceof ReadingListError ? [key] : []));
  const result = results.includes('outdated') ? 'outdated' : 'done';
  if (!failure) return result;
  // A batch may end early because its response is long.
  if (failure.kind !== 'busy' || failed.length === pending.length) throw failure;
  return (await pushSome(sync, failed)) === 'done' ? result : 'outdated';
}

function prepare(transaction: Transaction, key: string): PendingRequest[] {
  const entry = transaction.get(key);
  if (!entry || !isPending(entry)) return [];
  const wasInDoubt = isInDoubt(entry);
  if (entry.draft) {
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
  const body = wasInDoubt ? resentOf(entry) : patchOf(entry);
  transaction.set(sending(entry, body));
  return [{ key, request: { method: 'PATCH', ...request, body }, isInDoubt: wasInDoubt }];
}

async function sendAll({ client, call, mirror }: Sync, requests: BatchRequest[]): Promise<BatchResponse[]> {
  if (requests.length === 1) return [await sendAlone(client, requests[0]!, call)];
  try {
    return await client.batch(requests, { ...call, limit: mirror.state.service?.batchLimit ?? 25 });
  } catch (error) {
    if (!isUnsuitable(error)) throw error;
  }
  // The batch endpoint does not accept these credentials, but the others may.
  client.canBatch = false;
  const responses: BatchResponse[] = [];
  for (const request of requests) {
    const response = await sendAlone(client, request, call).catch(failedResponse);
    responses.push(response);
    if (response.error && !isFinal(response.error)) break;
  }
  while (responses.length < requests.length) responses.push(responses.at(-1)!);
  return responses;
}

const isUnsuitable = (error: unknown): boolean =>
  error instanceof ReadingListError && ((error.status === 401 && error.errno === 104) || error.status === 405);

async function sendAlone(client: Client, request: BatchRequest, call: CallOptions): Promise<BatchResponse> {
  const { method, path, body = {}, headers = {} } = request;
  const known = headers['If-Unmodified-Since'];
  const options = { ...call, ifUnmodifiedSince: known === undefined ? undefined : Number(known) };
  const id = path.slice('/articles/'.length);
  const response = (status: number, record: unknown): BatchResponse => ({
    status,
    headers: new Headers(),
    body: record,
  });
  try {
    if (method === 'DELETE') return response(200, await client.remove(id, options));
    if (method === 'PATCH') return response(200, await client.patch(id, body, options));
    const { created, article } = await client.create(body as NewArticle, options);
    return response(created ? 201 : 200, article);
  } catch (error) {
    if (error instanceof ReadingListError && isFinal(error)) return failedResponse(error);
    throw error;
  }
}

const failedResponse = (error: unknown): BatchResponse => {
  if (!(error instanceof ReadingListError)) throw error;
  return { status: error.status ?? 0, headers: new Headers(), body: undefined, error };
};

/** Whether repeating the request would always fail in the same way. */
const isFinal = ({ kind }: ReadingListError): boolean => kind === 'refused';

/** Whether the service says, in its own format, that it has not carried out the request, though it may another time. */
const isUnserved = ({ status, errno }: ReadingListError): boolean =>
  errno !== undefined && [401, 403, 408, 410, 429].includes(status!);

type Result = 'done' | 'outdated' | 'refused' | ReadingListError;

function apply(
  transaction: Transaction,
  { key, request, isInDoubt: wasInDoubt }: PendingRequest,
  response: BatchResponse,
): Result {
  const entry = transaction.get(key);
  const { error } = response;
  if (error && !isFinal(error)) {
    if (entry && isUnserved(error) && !wasInDoubt) transaction.set(unsent(entry));
    return error;
  }
  if (!entry) return 'done';
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
  const article = response.body as Article & { deleted?: boolean };
  if (request.method === 'DELETE') {
    if (article?.deleted === true && article.id === entry.base?.id)
      return put(transaction, entry, { entry: undefined });
    return new ReadingListError('protocol', 'no article', { status: response.status });
  }
  if (typeof article?.id !== 'string' || typeof article.last_modified !== 'number')
    return new ReadingListError('protocol', 'no article', { status: response.status });
  if (request.method === 'PATCH')
    return put(transaction, entry, { entry: settle(entry, request.body as ArticlePatch, article) });
  return applyCreation(transaction, entry, { created: response.status === 201, article, wasInDoubt });
}

function refuse(entry: Entry, { method, body }: BatchRequest, error: ReadingListError): Outcome {
  if (method === 'POST') return entry.draft ? refuseDraft(entry, error) : { entry };
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
  if (outcome.conflict) noteConflict(transaction, outcome.conflict);
  // The response is newer than what the other entry's edits were made on.
  const merged = merge(other, article);
  if (merged.conflict) noteConflict(transaction, merged.conflict);
  return put(transaction, entry, fold(merged.entry!, outcome.entry));
}

/** Stores an outcome, and its conflict until it is reported. */
export function put(transaction: Transaction, before: Entry, { entry, conflict }: Outcome): 'done' {
  if (!entry) transaction.delete(before.key);
  else transaction.set(withWalk(entry, transaction.state.walk?.full));
  if (conflict) noteConflict(transaction, conflict);
  return 'done';
}

const withWalk = (entry: Entry, full: number | undefined): Entry =>
  full === undefined || !entry.base ? entry : { ...entry, seen: full };

function noteConflict(transaction: Transaction, conflict: Conflict): void {
  const { state } = transaction;
  transaction.state = { ...state, conflicts: [...(state.conflicts ?? []), conflict] };
}
