import { type FieldKind, type FieldValue, MAX_CODE_POINTS } from './fields.js';
import { firstCodePoints, isLongerThan, strip } from './text.js';
import { urlProblem } from './url.js';

/** Why a value is not valid for its field. */
export class Invalid {
  constructor(readonly reason: string) {}
}

/**
 * Converts a JSON value of a request body to a field's kind: strips or cuts texts where the kind says so, replaces lone
 * surrogates. The caller handles `null`. Returns `Invalid` instead of throwing.
 */
export function readBodyValue(kind: FieldKind, value: unknown): Exclude<FieldValue, null> | Invalid {
  switch (kind) {
    case 'boolean':
      return readBoolean(value);
    case 'integer':
    case 'timestamp':
      return readInteger(value);
    default:
      return readText(kind, value);
  }
}

function readBoolean(value: unknown): boolean | Invalid {
  const token = typeof value === 'string' ? value.toLowerCase() : value;
  if (token === true || token === 1 || token === 'true' || token === '1') return true;
  if (token === false || token === 0 || token === 'false' || token === '0') return false;
  return new Invalid('not a boolean');
}

function readInteger(value: unknown): number | Invalid {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) return new Invalid('not an integer >= 0');
  return Number.isSafeInteger(number) ? number + 0 : new Invalid('integer out of range');
}

function readText(kind: FieldKind, value: unknown): string | Invalid {
  if (typeof value !== 'string') return new Invalid('not a string');
  if (value.includes('\0')) return new Invalid('NUL character');
  if (kind === 'text') return firstCodePoints(value.toWellFormed(), MAX_CODE_POINTS.text);
  const text = strip(value).toWellFormed();
  const problem = textProblem(kind, text);
  return problem === undefined ? text : new Invalid(problem);
}

function textProblem(kind: FieldKind, text: string): string | undefined {
  if (kind === 'url') return text === '' ? undefined : urlProblem(text);
  if (kind === 'device' && text === '') return 'empty device name';
  if ((kind === 'title' || kind === 'device') && isLongerThan(text, MAX_CODE_POINTS[kind]))
    return `longer than ${MAX_CODE_POINTS[kind]} characters`;
  return undefined;
}
