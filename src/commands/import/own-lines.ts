import { type Article, newArticle, type Tombstone } from '../../articles/article.js';
import { ApiError } from '../../protocol/api-error.js';
import { isUuid } from '../../protocol/query-values.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { CommandError } from '../command.js';
import type { AccountState } from './store-items.js';

/** A line of `user export`: the account that the following lines belong to, or one of its items. */
export type OwnLine = { account: Buffer; state: AccountState } | { item: Article | Tombstone };

/** Reads a line. Throws `CommandError` that names it when it is not one that `user export` wrote. */
export function readOwnLine(text: string, number: number): OwnLine {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return 'account' in value ? readAccount(value) : { item: readItem(value) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'not JSON' : (error as Error).message;
    throw new CommandError(`line ${number}: ${reason}; the lines before it are in, repeat when the file is whole`);
  }
}

function readAccount({ account, last_modified, purged_until }: Record<string, unknown>): OwnLine {
  if (typeof account !== 'string' || !/^[0-9a-f]{32}$/.test(account)) throw new Error('account: not a key');
  const state = { last_modified: readTimestamp({ last_modified }), purged_until: readTimestamp({ purged_until }) };
  return { account: Buffer.from(account, 'hex'), state };
}

function readItem(value: Record<string, unknown>): Article | Tombstone {
  const { id } = value;
  if (typeof id !== 'string' || !isUuid(id)) throw new Error('id: not a UUID');
  const last_modified = readTimestamp({ last_modified: value.last_modified });
  if (value.deleted === true) return { id, last_modified, deleted: true };
  const stored_on = readTimestamp({ stored_on: value.stored_on });
  const article = newArticle(value, id, stored_on);
  // On creation null takes the title; an article that is stored may have none.
  const resolved_title = value.resolved_title === null ? null : article.resolved_title;
  return { ...article, resolved_title, stored_on, last_modified };
}

function readTimestamp(field: Record<string, unknown>): Timestamp {
  const [[name, value]] = Object.entries(field) as [[string, unknown]];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error(`${name}: not a timestamp`);
  return value as number;
}

/** Why a value can not be an article. Rethrows what is no refusal. */
export function refusalOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 400) return error.message;
  throw error;
}
