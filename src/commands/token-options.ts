import { InvalidArgumentError } from 'commander';
import { isLongerThan } from '../protocol/text.js';

const MAX_LENGTH = 255;
const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_MS = 36_500 * UNITS_MS.d!;

/** Reads the name of a user or a token. Names appear in lists, so invisible characters are rejected. */
export function readName(text: string): string {
  const isPlain = text !== '' && text.trim() === text && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
  if (!isPlain || isLongerThan(text, MAX_LENGTH))
    throw new InvalidArgumentError(`1 to ${MAX_LENGTH} visible characters, without blanks at either end.`);
  return text;
}

/** Reads how long a token is valid, in milliseconds: `90d`, `12h`, `4w`. */
export function readLifetime(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  if (!(ms <= MAX_MS)) throw new InvalidArgumentError('A number of hours, days or weeks: 12h, 90d, 4w.');
  return ms;
}
