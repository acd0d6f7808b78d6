import { type Article, type Draft, NO_MARKS } from '../article.js';
import { ReadingListError } from '../errors.js';
import { POSTED } from '../fields.js';

const MAX_TITLE = 1024;
const MAX_DEVICE = 255;
const MAX_URL = 2048;
const OPAQUE = new Set(['javascript', 'vbscript', 'data', 'mailto', 'about', 'blob']);

const refused = (field: string, reason: string) => new ReadingListError('refused', `${field}: ${reason}`, { field });

/** Normalises a text like the service: strips white space and replaces lone surrogates. */
export const trimmed = (text: string): string => wellFormed(text).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** @throws refused when the service would reject it */
export function checkedTitle(title: string | null | undefined, field = 'title'): string | null {
  if (title === null || title === undefined) return null;
  const value = trimmed(checkedText(title, field));
  if (isLonger(value, MAX_TITLE)) throw refused(field, `longer than ${MAX_TITLE} characters`);
  return value;
}

/** @throws refused when the service would reject it */
export function checkedUrl(url: unknown, field = 'url'): string {
  const value = trimmed(checkedText(url, field));
  if (isLonger(value, MAX_URL)) throw refused(field, `longer than ${MAX_URL} characters`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#\\]*@)?[^/?#\\:@]/i.exec(value)?.[1];

  if (!scheme || OPAQUE.has(scheme.toLowerCase()) || /[\s\u0000-\u001f\u007f-\u009f]/.test(value))
    throw refused(field, 'not an absolute URL with a host');
  return value;
}

/** @throws refused when the service would reject it */
export function checkedDevice(device: unknown, field: string): string {
  const value = trimmed(checkedText(device, field));
  if (value === '' || isLonger(value, MAX_DEVICE)) throw refused(field, `1 to ${MAX_DEVICE} characters`);
  return value;
}

/** @throws refused when it is not an integer from 0 to 2^53 - 1 */
export function checkedInteger(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw refused(field, 'not a whole number');
  return value;
}

/** The fields of a draft that the user need not set, with their defaults. */
export const defaultsOf = ({ url, title }: Pick<Draft, 'url' | 'title'>): Partial<Draft> => ({
  preview: null,
  title: null,
  resolved_url: url,
  resolved_title: title,
  excerpt: '',
  archived: false,
  favorite: false,
  is_article: true,
  word_count: null,
  unread: true,
  ...NO_MARKS,
  read_position: 0,
});

/** A new article with all its fields. @throws refused when the service would reject it */
export function draftOf(
  fields: { url: string; title?: string | null } & Partial<Article>,
  { device, now }: { device: string; now: number },
): Draft {
  const url = checkedUrl(fields.url);
  const title = checkedTitle(fields.title);
  const optional = <T, R>(value: T | null, check: (value: T, field: string) => R, field: string): R | null =>
    value === null ? null : check(value, field);
  const urlOf = (value: string | null, field: string) => (value ? checkedUrl(value, field) : null);
  const defaults = defaultsOf({ url, title });
  // A field without a check here is the service's to judge.
  const given = Object.fromEntries(
    POSTED.map((field) => [field, fields[field] ?? defaults[field] ?? null]),
  ) as unknown as Draft;
  const { unread } = given;
  return {
    ...given,
    url,
    preview: urlOf(given.preview, 'preview'),
    title,
    resolved_url: urlOf(given.resolved_url, 'resolved_url') ?? url,
    resolved_title: checkedTitle(given.resolved_title, 'resolved_title'),
    excerpt: wellFormed(checkedText(given.excerpt, 'excerpt')),
    word_count: optional(given.word_count, checkedInteger, 'word_count'),
    added_by: checkedDevice(given.added_by ?? device, 'added_by'),
    added_on: checkedInteger(given.added_on ?? now, 'added_on'),
    marked_read_by: optional(given.marked_read_by ?? (unread ? null : device), checkedDevice, 'marked_read_by'),
    marked_read_on: optional(given.marked_read_on ?? (unread ? null : now), checkedInteger, 'marked_read_on'),
    read_position: checkedInteger(given.read_position, 'read_position'),
  };
}

function checkedText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw refused(field, 'not a text');
  if (value.includes('\0')) throw refused(field, 'a NUL character');
  return value;
}

const wellFormed = (text: string): string =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');

const isLonger = (text: string, max: number): boolean => text.length > max && [...text].length > max;
