import { ApiError, invalidPostedData, missingField } from '../protocol/api-error.js';
import { Invalid, type Mapping, readBodyValue, requireObject } from '../protocol/field-values.js';
import type { ArticleField, Field, FieldValue, FieldValues } from '../protocol/fields.js';
import { FIELD_NAMES, KINDS, FIELDS, fieldsWhere } from '../protocol/fields.js';
import type { ResponseBehavior } from '../protocol/request-headers.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A live article, as stored and as sent in responses. */
export type Article = FieldValues;

/** What is left of a deleted article. */
export interface Tombstone {
  id: string;
  last_modified: Timestamp;
  deleted: true;
}

/** What a listing or an export has. */
export type Item = Article | Tombstone;

/** An article before the database gave it a timestamp. */
export type NewArticle = Omit<Article, 'last_modified'>;

type Fields = Partial<Record<ArticleField, FieldValue>>;

/** Of several errors, the first by name is reported. */
const byName = (isWanted: (field: Field) => boolean): readonly ArticleField[] => [...fieldsWhere(isWanted)].sort();

const POSTED = byName(({ givenBy }) => givenBy !== 'server');
const READ_ONLY = byName(({ patch }) => patch === undefined);
const PATCHED = byName(({ patch }) => patch !== undefined);
/** The fields that say who read the article, and when. */
const READ_FIELDS = fieldsWhere(({ patch }) => patch === 'on reading');
const NOT_READ = Object.fromEntries(READ_FIELDS.map((field) => [field, null])) as Partial<Article>;
/** In a PATCH, `null` gives a text its default, and clears a field that can be null; elsewhere it counts as not sent. */
const CLEARABLE = PATCHED.filter((field) => {
  const { kind, nullable }: Field = FIELDS[field];
  return nullable === true || KINDS[kind].type === 'text';
});

/** The article that a POST describes, with all defaults. Throws 400 / 108 or 109 for the first wrong field by name. */
export function newArticle(body: unknown, id: string, now: Timestamp): NewArticle {
  const sent = readPosted(requireObject(body));
  const article: Fields = {};
  for (const field of FIELD_NAMES)
    if (field !== 'last_modified') article[field] = field === 'id' ? id : firstValue(field, sent, now);
  return article as NewArticle;
}

/** An empty URL counts as absent. */
const isGiven = (field: ArticleField, value: FieldValue | undefined): boolean =>
  value !== undefined && value !== null && !(value === '' && FIELDS[field].kind === 'url');

function firstValue(field: ArticleField, sent: Fields, now: Timestamp): FieldValue {
  if (isGiven(field, sent[field])) return sent[field]!;
  const otherwise = (FIELDS[field] as Field).default ?? null;
  if (typeof otherwise !== 'object' || otherwise === null) return otherwise;
  return 'now' in otherwise ? now : firstValue(otherwise.sameAs, sent, now);
}

/** The fields that were sent. `null` counts as absent, but satisfies a required field that is nullable. */
function readPosted(body: Mapping): Fields {
  const sent: Fields = {};
  for (const field of POSTED) {
    const { givenBy, nullable }: Field = FIELDS[field];
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value !== undefined && value !== null) sent[field] = readField(field, value);
    else if (givenBy === 'device' && !(nullable && value === null)) throw missingField(field);
    if (givenBy === 'device' && sent[field] === '' && !isGiven(field, ''))
      throw invalidPostedData(field, 'not an absolute URL with a host');
  }
  return sent;
}

function readField(field: ArticleField, value: unknown): FieldValue {
  const typed = readBodyValue(FIELDS[field].kind, value);
  if (typed instanceof Invalid) throw invalidPostedData(field, typed.reason);
  return typed;
}

/**
 * The article after a PATCH, with the stored `last_modified`; the stored article itself when nothing changes. Throws
 * 400 / 108 for an absent body, 400 / 109 for a read-only field that differs or a bad value.
 */
export function patchArticle(stored: Article, body: unknown): Article {
  if (body === undefined) throw new ApiError('missingParameter', 'The body is missing');
  const mapping = requireObject(body);
  for (const field of READ_ONLY) requireEqual(stored, field, mapping[field]);
  const becomesRead = stored.unread && readBodyValue('boolean', mapping.unread) === false;
  const article: Fields = { ...stored, ...(becomesRead ? NOT_READ : {}) };
  const sent = PATCHED.filter((field) => isSent(mapping, field) && (becomesRead || !READ_FIELDS.includes(field)));
  for (const field of sent) article[field] = mapping[field] === null ? null : readField(field, mapping[field]);
  // A field that was cleared gets its default.
  for (const field of sent) article[field] = firstValue(field, article, 0);
  const patched = applyState(stored, article as Article);
  return changedFields(stored, patched).length > 0 ? patched : stored;
}

function requireEqual(stored: Article, field: ArticleField, value: unknown): void {
  if (value === undefined || value === null) return;
  const isId = field === 'id' && typeof value === 'string';
  const typed = isId ? value.trim().slice(0, 37).toLowerCase() : readBodyValue(FIELDS[field].kind, value);
  if (typed !== stored[field] && !(typed === '' && stored[field] === null))
    throw invalidPostedData(field, 'is read-only');
}

function isSent(body: Mapping, field: ArticleField): boolean {
  return Object.hasOwn(body, field) && (body[field] !== null || CLEARABLE.includes(field));
}

/** Marking an article as unread resets its position; otherwise a position never decreases. */
function applyState(stored: Article, patched: Article): Article {
  if (!stored.unread && patched.unread) return { ...patched, ...NOT_READ, read_position: FIELDS.read_position.default };
  return { ...patched, read_position: Math.max(stored.read_position, patched.read_position) };
}

/** The fields in which two versions of an article differ. */
export const changedFields = (before: Article, after: Article): ArticleField[] =>
  FIELD_NAMES.filter((field) => before[field] !== after[field]);

/** The response to a PATCH (docs/protocol.md, "PATCH"); `body` is the object that was sent. */
export function patchResponse(behavior: ResponseBehavior, before: Article, after: Article, body: unknown) {
  if (behavior === 'full') return after;
  const sent = body as Mapping;
  const named = FIELD_NAMES.filter((field) => Object.hasOwn(sent, field));
  const shown = named.filter((field) =>
    behavior === 'light'
      ? field !== 'last_modified' && before[field] !== after[field]
      : isSent(sent, field) && providedValue(field, sent[field]) !== after[field],
  );
  return Object.fromEntries(shown.map((field) => [field, after[field]])) as Partial<Article>;
}

/** A value from a request, for comparison: converted to the field's type, but strings exactly as sent. */
function providedValue(field: ArticleField, value: unknown): unknown {
  if (typeof value === 'string' && KINDS[FIELDS[field].kind].type === 'text') return value;
  const typed = value === null ? null : readBodyValue(FIELDS[field].kind, value);
  return typed instanceof Invalid ? value : typed;
}
