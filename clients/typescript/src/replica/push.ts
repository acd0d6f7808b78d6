import { type Article, type ArticlePatch, type Conflict, type NewArticle } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { BatchAnswer, BatchRequest } from '../wire/batch.js';
import type { Client } from '../wire/client.js';
import type { CallOptions } from '../wire/transport.js';
import { creationOf, type Entry, isPending, patchOf, sending } from './entry.js';
import { adopt, fold, mergeDeletion, type Outcome, refuseDraft, refusePatch, refuseRemoval, settle } from './merge.js';
import type { Mirror, Transaction } from './mirror.js';

/** What a sync works with. */
export interface Sync {
  mirror: Mirror;
  client: Client;
  call: CallOptions;
  /** Sums for the caller. */
  pushed: number;
  pulled: number;
}

interface Question {
  key: string;
  request: BatchRequest;
}

/** A push that met a version of a record that the device does not know yet: pull, then push again. */
export type PushResult = 'done' | 'outdated';

/** Sends everything that is pending, deletions first, in batches where the service takes them. */
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

/** Deletions before creations: a URL may be free again only then. */
function inOrder(entries: Entry[]): Entry[] {
  const rank = ({ removal, base }: Entry) => (removal ? 0 : base ? 1 : 2);
  return entries.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

/** Drafts that were removed before anything was sent of them. */
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
  // What is about to be sent is noted first: after a crash nobody knows whether it arrived.
  const questions = await mirror.mutate(
    () => keys,
    (transaction) => keys.flatMap((key) => prepare(transaction, key)),
  );
  if (questions.length === 0) return 'done';
  const answers = await ask(
    sync,
    questions.map(({ request }) => request),
  );
  const ids = answers.flatMap(({ body }) => mirror.keyOfId((body as Partial<Article> | undefined)?.id ?? '') ?? []);
  const results = await mirror.mutate(
    () => [...keys, ...ids],
    (transaction) => questions.map((question, index) => apply(transaction, mirror, question, answers[index]!)),
  );
  sync.pushed += results.filter((result) => result === 'done').length;
  const failure = results.find((result) => result instanceof ReadingListError);
  if (failure) throw failure;
  return results.includes('outdated') ? 'outdated' : 'done';
}

function prepare(transaction: Transaction, key: string): Question[] {
  const entry = transaction.get(key);
  if (!entry || !isPending(entry)) return [];
  if (entry.draft) {
    // What was sent before goes again as it was: whichever of the two creates the record, it is known what it has.
    const sent = entry.sent ?? entry.draft;
    transaction.set({ ...entry, sent });
    return [{ key, request: { method: 'POST', path: '/articles', body: creationOf(sent) } }];
  }
  const { id, last_modified } = entry.base!;
  const request = { path: `/articles/${id}`, headers: { 'If-Unmodified-Since': String(last_modified) } };
  if (entry.removal) {
    transaction.set({ ...entry, removal: { ...entry.removal, sent: true } });
    return [{ key, request: { method: 'DELETE', ...request } }];
  }
  const body = patchOf(entry);
  transaction.set(sending(entry, body));
  return [{ key, request: { method: 'PATCH', ...request, body } }];
}

async function ask({ client, call, mirror }: Sync, requests: BatchRequest[]): Promise<BatchAnswer[]> {
  if (requests.length === 1) return [await askAlone(client, requests[0]!, call)];
  try {
    return await client.batch(requests, { ...call, limit: mirror.state.service?.batchLimit ?? 25 });
  } catch (error) {
    if (!isUnsuitable(error)) throw error;
  }
  // These credentials do not open the batch endpoint, though they may open the others.
  client.canBatch = false;
  const answers: BatchAnswer[] = [];
  for (const request of requests) {
    const answer = await askAlone(client, request, call).catch(failedAnswer);
    answers.push(answer);
    if (answer.error && !isFinal(answer.error)) break;
  }
  while (answers.length < requests.length) answers.push(answers.at(-1)!);
  return answers;
}

const isUnsuitable = (error: unknown): boolean =>
  error instanceof ReadingListError && ((error.status === 401 && error.errno === 104) || error.status === 405);

async function askAlone(client: Client, request: BatchRequest, call: CallOptions): Promise<BatchAnswer> {
  const { method, path, body = {}, headers = {} } = request;
  const known = headers['If-Unmodified-Since'];
  const options = { ...call, ifUnmodifiedSince: known === undefined ? undefined : Number(known) };
  const id = path.slice('/articles/'.length);
  const answer = (status: number, record: unknown): BatchAnswer => ({ status, headers: new Headers(), body: record });
  try {
    if (method === 'DELETE') return answer(200, await client.remove(id, options));
    if (method === 'PATCH') return answer(200, await client.patch(id, body, options));
    const { created, article } = await client.create(body as NewArticle, options);
    return answer(created ? 201 : 200, article);
  } catch (error) {
    if (error instanceof ReadingListError && isFinal(error)) return failedAnswer(error);
    throw error;
  }
}

const failedAnswer = (error: unknown): BatchAnswer => {
  if (!(error instanceof ReadingListError)) throw error;
  return { status: error.status ?? 0, headers: new Headers(), body: undefined, error };
};

/** Whether the same request would be answered the same tomorrow. */
const isFinal = ({ kind }: ReadingListError): boolean => kind === 'refused';

type Result = 'done' | 'outdated' | 'refused' | ReadingListError;

function apply(transaction: Transaction, mirror: Mirror, { key, request }: Question, answer: BatchAnswer): Result {
  const entry = transaction.get(key);
  const { error } = answer;
  if (error && !isFinal(error)) return error;
  if (!entry) return 'done';
  if (answer.status === 412) return 'outdated';
  if (error) {
    // Only these say that the record is gone; another 404 says that something is wrong with the address.
    const isGone = answer.status === 404 && request.method !== 'POST';
    if (isGone && (error.errno === 110 || error.errno === 111)) {
      put(transaction, entry, mergeDeletion(entry));
      return entry.removal ? 'done' : 'refused';
    }
    put(transaction, entry, refuse(entry, request, error));
    return 'refused';
  }
  if (request.method === 'DELETE') return put(transaction, entry, { entry: undefined });
  const article = answer.body as Article;
  if (typeof article?.id !== 'string' || typeof article.last_modified !== 'number')
    return new ReadingListError('protocol', 'an article without id', { status: answer.status });
  if (request.method === 'PATCH')
    return put(transaction, entry, { entry: settle(entry, request.body as ArticlePatch, article) });
  return applyCreation(transaction, mirror, entry, answer.status === 201, article);
}

function refuse(entry: Entry, { method, body }: BatchRequest, error: ReadingListError): Outcome {
  if (method === 'POST') return entry.draft ? refuseDraft(entry, error) : { entry };
  return method === 'DELETE' ? refuseRemoval(entry, error) : refusePatch(entry, body as ArticlePatch, error);
}

function applyCreation(
  transaction: Transaction,
  mirror: Mirror,
  entry: Entry,
  created: boolean,
  article: Article,
): Result {
  const otherKey = mirror.keyOfId(article.id);
  const other = otherKey === undefined || otherKey === entry.key ? undefined : transaction.get(otherKey);
  // The record of the same URL is still to be deleted; the draft's turn comes after that.
  if (other?.removal && !entry.removal) {
    const { sent: _sent, ...unsent } = entry;
    transaction.set(unsent);
    return 'outdated';
  }
  const outcome = adopt(entry, article, created);
  if (!other || !outcome.entry) return put(transaction, entry, outcome);
  transaction.delete(entry.key);
  put(transaction, entry, { ...outcome, entry: fold(other, outcome.entry) });
  return 'done';
}

/** Stores an outcome and keeps its conflict until somebody was told. */
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
