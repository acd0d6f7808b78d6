import type { Article, Tombstone } from '../article.js';
import { ReadingListError } from '../errors.js';
import { TYPES } from '../fields.js';
import { defaultsOf } from './checks.js';

const IS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

/** An `id` that is safe in a path. */
const ID = /^[\w-]+$/;

/**
 * The record in a response, with the fields that this library knows and no others: a new field of the service never meets a
 * name of the library's own. A field that is absent or null has its default, except those without which there is no article.
 * @returns a `protocol` error if it is not a record; `field` names the field that is to blame, if any
 */
export function readRecord(value: unknown): Article | Tombstone | ReadingListError {
  const record = Object(value) as Record<string, unknown>;
  const { id, deleted, last_modified, url } = record as Partial<Article & Tombstone>;
  if (!isId(id)) return odd('id');
  if (deleted && deleted !== true) return odd('deleted');
  if (!IS.integer!(last_modified)) return odd('last_modified');
  if (deleted) return { deleted, id, last_modified: last_modified! };
  if (!url) return odd('url');
  const article: Record<string, unknown> = {
    ...defaultsOf({ url, title: null }),
    added_by: '',
    added_on: last_modified,
    stored_on: last_modified,
  };
  for (const [field, type] of Object.entries(TYPES)) {
    const given = record[field] ?? undefined;
    if (given !== undefined) article[field] = given;
    if ((given !== undefined || !(field in article)) && !IS[type]!(given)) return odd(field);
  }
  return article as unknown as Article;
}

/** The `id` of something that may not be a record. */
export function idOf(value: unknown): string | undefined {
  const { id } = Object(value) as { id?: unknown };
  return isId(id) ? id : undefined;
}

const isId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);

const odd = (field: string) =>
  new ReadingListError('protocol', `${field}: not a value that a record of this service can have`, { field });
