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
export const readBodyValue = (kind: FieldKind, value: unknown): Read => READERS[kind](value);

type Read = Exclude<FieldValue, null> | Invalid;

const READERS: Readonly<Record<FieldKind, (value: unknown) => Read>> = {
  uuid: (value) => readStripped(value, () => undefined),
  timestamp: readInteger,
  integer: readInteger,
  boolean: readBoolean,
  url: (value) => readStripped(value, (text) => (text === '' ? undefined : urlProblem(text))),
  title: (value) => readStripped(value, (text) => lengthProblem(text, MAX_CODE_POINTS.title)),
  label: (value) => readStripped(value, (text) => lengthProblem(text, MAX_CODE_POINTS.label)),
  text: (value) => readText(value, (text) => firstCodePoints(text.toWellFormed(), MAX_CODE_POINTS.text)),
  device: (value) =>
    readStripped(value, (text) => (text === '' ? 'empty device name' : lengthProblem(text, MAX_CODE_POINTS.device))),
};

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

function readText(value: unknown, read: (text: string) => string | Invalid): string | Invalid {
  if (typeof value !== 'string') return new Invalid('not a string');
  return value.includes('\0') ? new Invalid('NUL character') : read(value);
}

const readStripped = (value: unknown, problemOf: (text: string) => string | undefined): string | Invalid =>
  readText(value, (sent) => {
    const text = strip(sent).toWellFormed();
    const problem = problemOf(text);
    return problem === undefined ? text : new Invalid(problem);
  });

const lengthProblem = (text: string, most: number): string | undefined =>
  isLongerThan(text, most) ? `longer than ${most} characters` : undefined;
