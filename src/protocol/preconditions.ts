import { invalidParameter, modifiedMeanwhile } from './api-error.js';
import { isRepeated, linesOf } from './raw-headers.js';
import type { Timestamp } from './timestamp.js';

/** The timestamps of a conditional request (docs/protocol.md, "Conditional requests"). */
export interface Preconditions {
  ifModifiedSince?: Timestamp;
  ifUnmodifiedSince?: Timestamp;
}

/** A request's headers by name, and alternating names and values as sent. */
interface ConditionalRequest {
  headers: Record<string, string | string[] | undefined>;
  rawHeaders: readonly string[];
}

const CONDITIONS = ['If-Modified-Since', 'If-Unmodified-Since'];

/**
 * The preconditions of a request. Like `readPreconditions`, but also throws 400 / 107 when a condition was sent twice:
 * which one counts is ambiguous.
 */
export function preconditionsOf(request: ConditionalRequest): Preconditions {
  const conditions = readPreconditions(request.headers);
  requireSingleConditions(request);
  return conditions;
}

/** Throws 400 / 107 when a condition was sent twice. By itself for a batch, whose entries judge the values. */
export function requireSingleConditions({ rawHeaders }: Pick<ConditionalRequest, 'rawHeaders'>): void {
  for (const name of CONDITIONS) {
    if (!isRepeated(name, rawHeaders)) continue;
    // Node keeps the first one, and an empty one must not hide another.
    if (linesOf(name, rawHeaders).some((text) => text.trim() !== '')) throw invalidParameter(name, 'given twice');
  }
}

/**
 * Reads the two conditional headers: 1 to 16 decimal digits, with optional surrounding white space; an empty one counts
 * as absent. Throws 400 / 107 that names the header, of two the alphabetically first one.
 */
export function readPreconditions(headers: Record<string, string | string[] | undefined>): Preconditions {
  return {
    ifModifiedSince: readTimestampHeader('If-Modified-Since', headers['if-modified-since']),
    ifUnmodifiedSince: readTimestampHeader('If-Unmodified-Since', headers['if-unmodified-since']),
  };
}

function readTimestampHeader(name: string, value: string | string[] | undefined): Timestamp | undefined {
  const text = String(value ?? '').trim();
  if (text === '') return undefined;
  if (!/^\d{1,16}$/.test(text)) throw invalidParameter(name, 'not a timestamp in milliseconds');
  return Number(text);
}

/** True when the response to a GET is 304: nothing changed after `If-Modified-Since`. */
export const isNotModified = (conditions: Preconditions, current: Timestamp): boolean =>
  conditions.ifModifiedSince !== undefined && current <= conditions.ifModifiedSince;

/** Throws 412 / 114 when the resource changed after `If-Unmodified-Since`. */
export function requireUnmodified(conditions: Preconditions, current: Timestamp): void {
  if (conditions.ifUnmodifiedSince !== undefined && current > conditions.ifUnmodifiedSince)
    throw modifiedMeanwhile(current);
}
