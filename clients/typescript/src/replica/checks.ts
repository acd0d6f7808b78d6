import type { Article, Draft } from '../article.js';
import { ReadingListError } from '../errors.js';
import { MAX_LENGTHS, NULLS, POSTED } from '../fields.js';

const OPAQUE = /^(javascript|vbscript|data|mailto|about|blob)$/i;

export const refused = (field: string, reason: string) =>
  new ReadingListError('refused', `${field}: ${reason}`, { field });

/** Normalises a text like the service: strips white space and replaces lone surrogates. */
export const trimmed = (text: string): string => wellFormed(text).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** @throws refused when the service would reject it */
export const checkedTitle = (title: unknown, field = 'title'): string => checkedLine(title, field, MAX_LENGTHS.title);

/** @throws refused when the service would reject it */
export function checkedUrl(url: unknown, field = 'url'): string {
  const value = checkedLine(url, field, MAX_LENGTHS.url);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#\\]*@)?(?:\[[^[\]]+]|[^/?#\\:@[\]]+)(?::\d*)?(?:[/?#\\]|$)/i.exec(
    value,
  )?.[1];

  if (!scheme || OPAQUE.test(scheme) || /[\s\p{Cc}]/u.test(value))
    throw refused(field, 'not an absolute URL with a host');
  return value;
}

/** @throws refused when the service would reject it */
export function checkedDevice(device: unknown, field: string): string {
  const value = checkedLine(device, field, MAX_LENGTHS.added_by);
  if (!value) throw refused(field, 'empty');
  return value;
}

/** @throws refused when it is not an integer from 0 to 2^53 - 1 */
export function checkedInteger(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw refused(field, 'not an integer >= 0');
  return value as number;
}

/** The fields of a draft that the user need not set, with their defaults. */
export const defaultsOf = ({ url, title }: Pick<Draft, 'url' | 'title'>): Partial<Draft> => ({
  ...NULLS,
  resolved_url: url,
  resolved_title: title,
  excerpt: '',
  archived: false,
  favorite: false,
  is_article: true,
  unread: true,
  read_position: 0,
});

/** The checks of a draft's fields; a field without one is the service's to judge. */
const CHECKS: Partial<Record<keyof Draft, (value: unknown, field: string) => unknown>> = {
  url: checkedUrl,
  preview: checkedUrl,
  title: checkedTitle,
  resolved_url: checkedUrl,
  resolved_title: checkedTitle,
  excerpt: (value, field) => wellFormed(checkedText(value, field)),
  word_count: checkedInteger,
  added_by: checkedDevice,
  added_on: checkedInteger,
  marked_read_by: checkedDevice,
  marked_read_on: checkedInteger,
  read_position: checkedInteger,
};

/** A new article with all its fields. @throws refused when the service would reject it */
export function draftOf(
  fields: { url: string; title?: string | null } & Partial<Article>,
  { device, now }: { device: string; now: number },
): Draft {
  const defaults: Partial<Draft> = {
    ...defaultsOf({ url: checkedUrl(fields.url), title: fields.title ?? null }),
    added_by: device,
    added_on: now,
    ...((fields.unread ?? true) ? {} : { marked_read_by: device, marked_read_on: now }),
  };
  const valueOf = (field: keyof Draft): unknown => {
    const check = CHECKS[field];
    const given = fields[field];
    // The service takes an empty URL for none.
    const value = (check === checkedUrl && given === '' ? null : given) ?? defaults[field] ?? null;
    return value === null || !check ? value : check(value, field);
  };
  return Object.fromEntries(POSTED.map((field) => [field, valueOf(field)])) as unknown as Draft;
}

function checkedText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw refused(field, 'not a string');
  if (value.includes('\0')) throw refused(field, 'a NUL character');
  return value;
}

/** A trimmed text of at most `max` code points. */
function checkedLine(text: unknown, field: string, max: number): string {
  const value = trimmed(checkedText(text, field));
  if (value.length > max && [...value].length > max) throw refused(field, `longer than ${max} characters`);
  return value;
}

/** Where the pattern reads code points, only a lone surrogate is one. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\uFFFD');
