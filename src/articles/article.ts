import { ApiError, invalidPostedData } from '../protocol/api-error.js';
import { Invalid, readBodyValue } from '../protocol/body-values.js';
import { ARTICLE_FIELDS, type ArticleField, type FieldValue } from '../protocol/fields.js';
import type { ResponseBehavior } from '../protocol/response-behavior.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A live article as it is stored and answered. */
export interface Article {
  id: string;
  last_modified: Timestamp;
  url: string;
  preview: string | null;
  title: string | null;
  resolved_url: string;
  resolved_title: string | null;
  excerpt: string;
  archived: boolean;
  favorite: boolean;
  is_article: boolean;
  word_count: number | null;
  unread: boolean;
  added_by: string;
  added_on: Timestamp;
  stored_on: Timestamp;
  marked_read_by: string | null;
  marked_read_on: Timestamp | null;
  read_position: number;
}

/** What is left of a deleted article. */
export interface Tombstone {
  id: string;
  last_modified: Timestamp;
  deleted: true;
}

/** An article before the database gave it a timestamp. */
export type NewArticle = Omit<Article, 'last_modified'>;

type Body = Record<string, unknown>;
type Fields = Partial<Record<ArticleField, FieldValue>>;

const REQUIRED = ['added_by', 'title', 'url'] as const;
const SET_BY_SERVER: ReadonlySet<ArticleField> = new Set(['id', 'last_modified', 'stored_on']);
const POSTED = sortedFields((field) => !SET_BY_SERVER.has(field));

const MARKS = ['marked_read_by', 'marked_read_on'] as const;
const MODIFIABLE: ReadonlySet<ArticleField> = new Set([
  'title',
  'excerpt',
  'favorite',
  'unread',
  'archived',
  'read_position',
  'is_article',
  'resolved_url',
  'resolved_title',
  'word_count',
  ...MARKS,
] as const);
const READ_ONLY = sortedFields((field) => !MODIFIABLE.has(field));
const PATCHED = sortedFields((field) => MODIFIABLE.has(field));
const PATCHED_BUT_MARKS = PATCHED.filter((field) => !MARKS.some((mark) => mark === field));

function sortedFields(select: (field: ArticleField) => boolean): readonly ArticleField[] {
  return (Object.keys(ARTICLE_FIELDS) as ArticleField[]).filter(select).sort();
}

/** The body as a mapping. Throws 400 / 109 for any other JSON value. */
function requireMapping(body: unknown): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('invalidPostedData', 'The body is not a JSON object');
  return body as Body;
}

/**
 * The article that a POST describes, with all defaults (docs/protocol.md, "Creating"). An absent body counts as `{}`.
 * Throws 400 / 108 for a missing field and 400 / 109 for a bad one, the first in alphabetical order.
 */
export function newArticle(body: unknown, id: string, now: Timestamp): NewArticle {
  const sent = readPosted(body === undefined ? {} : requireMapping(body));
  const url = sent.url as string;
  return {
    id,
    url,
    preview: (sent.preview as string | undefined) || null,
    title: (sent.title as string | null | undefined) ?? null,
    resolved_url: (sent.resolved_url as string | undefined) || url,
    resolved_title: (sent.resolved_title ?? sent.title ?? null) as string | null,
    excerpt: (sent.excerpt as string | undefined) ?? '',
    archived: (sent.archived as boolean | undefined) ?? false,
    favorite: (sent.favorite as boolean | undefined) ?? false,
    is_article: (sent.is_article as boolean | undefined) ?? true,
    word_count: (sent.word_count as number | undefined) ?? null,
    unread: (sent.unread as boolean | undefined) ?? true,
    added_by: sent.added_by as string,
    added_on: (sent.added_on as number | undefined) ?? now,
    stored_on: now,
    marked_read_by: (sent.marked_read_by as string | undefined) ?? null,
    marked_read_on: (sent.marked_read_on as number | undefined) ?? null,
    read_position: (sent.read_position as number | undefined) ?? 0,
  };
}

/** The fields that were sent, typed; `null` counts as absent but for `title`, which may be null. */
function readPosted(body: Body): Fields {
  const sent: Fields = {};
  for (const field of POSTED) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value !== undefined && value !== null) sent[field] = readField(field, value);
    else if (REQUIRED.some((name) => name === field) && !(field === 'title' && value === null))
      throw new ApiError('missingParameter', `${field}: missing`);
    if (field === 'url' && sent.url === '') throw invalidPostedData(field, 'not an absolute URL with a host');
  }
  return sent;
}

function readField(field: ArticleField, value: unknown): FieldValue {
  const typed = readBodyValue(ARTICLE_FIELDS[field], value);
  if (typed instanceof Invalid) throw invalidPostedData(field, typed.reason);
  return typed;
}

/**
 * The article after a PATCH (docs/protocol.md, "PATCH" and "States"); `last_modified` is still the stored one. Returns
 * the stored article itself when nothing changes. Throws 400 / 108 for an absent body, 400 / 109 for a body that is no
 * mapping, a read-only field that differs or a bad value.
 */
export function patchArticle(stored: Article, body: unknown): Article {
  if (body === undefined) throw new ApiError('missingParameter', 'The body is missing');
  const mapping = requireMapping(body);
  for (const field of READ_ONLY) requireEqual(stored, field, mapping[field]);
  const becomesRead = stored.unread && readBodyValue('boolean', mapping.unread) === false;
  const sent: Fields = becomesRead ? { marked_read_by: null, marked_read_on: null } : {};
  for (const field of becomesRead ? PATCHED : PATCHED_BUT_MARKS)
    if (isSent(mapping, field)) sent[field] = readPatched(field, mapping[field]);
  const patched = applyState(stored, { ...stored, ...sent } as Article);
  if (sent.resolved_title === null) patched.resolved_title = patched.title;
  if (sent.resolved_url === null || sent.resolved_url === '') patched.resolved_url = stored.url;
  return changedFields(stored, patched).length > 0 ? patched : stored;
}

function requireEqual(stored: Article, field: ArticleField, value: unknown): void {
  if (value === undefined || value === null) return;
  const isId = field === 'id' && typeof value === 'string';
  const typed = isId ? value.trim().toLowerCase() : readBodyValue(ARTICLE_FIELDS[field], value);
  if (typed !== stored[field] && !(typed === '' && stored[field] === null))
    throw invalidPostedData(field, 'is read-only');
}

/** `null` empties a field that can be empty; for any other it counts as not sent. */
const NULLABLE: ReadonlySet<ArticleField> = new Set([
  'title',
  'resolved_title',
  'resolved_url',
  'word_count',
  'excerpt',
  ...MARKS,
] as const);

function isSent(body: Body, field: ArticleField): boolean {
  return Object.hasOwn(body, field) && (body[field] !== null || NULLABLE.has(field));
}

function readPatched(field: ArticleField, value: unknown): FieldValue {
  if (value !== null) return readField(field, value);
  return field === 'excerpt' ? '' : null;
}

/** Becoming unread starts over; otherwise a position never falls. */
function applyState(stored: Article, patched: Article): Article {
  if (!stored.unread && patched.unread)
    return { ...patched, marked_read_by: null, marked_read_on: null, read_position: 0 };
  return { ...patched, read_position: Math.max(stored.read_position, patched.read_position) };
}

/** The fields in which two versions of an article differ. */
export const changedFields = (before: Article, after: Article): ArticleField[] =>
  (Object.keys(ARTICLE_FIELDS) as ArticleField[]).filter((field) => before[field] !== after[field]);

/** What a PATCH answers with (docs/protocol.md, "PATCH"); `body` is the mapping that was sent. */
export function patchResponse(
  behavior: ResponseBehavior,
  before: Article,
  after: Article,
  body: unknown,
): Partial<Article> {
  if (behavior === 'full') return after;
  const sent = body as Body;
  const named = (Object.keys(ARTICLE_FIELDS) as ArticleField[]).filter((field) => Object.hasOwn(sent, field));
  const shown = named.filter((field) =>
    behavior === 'light'
      ? field !== 'last_modified' && before[field] !== after[field]
      : isSent(sent, field) && providedValue(field, sent[field]) !== after[field],
  );
  return Object.fromEntries(shown.map((field) => [field, after[field]]));
}

/** A value of a request for comparison: typed like the field, but a text exactly as it was sent. */
function providedValue(field: ArticleField, value: unknown): unknown {
  if (typeof value === 'string' && ['url', 'title', 'text', 'device', 'uuid'].includes(ARTICLE_FIELDS[field]))
    return value;
  const typed = value === null ? null : readBodyValue(ARTICLE_FIELDS[field], value);
  return typed instanceof Invalid ? value : typed;
}
