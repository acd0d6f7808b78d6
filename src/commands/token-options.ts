import { isLongerThan } from '../protocol/text.js';
import { type Arguments, UsageError } from './command.js';

const MAX_LENGTH = 255;
const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_MS = 36_500 * UNITS_MS.d!;

/** The single operand of a token command: the user. */
export function userOperand({ operands }: Arguments): string {
  if (operands.length !== 1) throw new UsageError('Name one user.');
  return readName('The user', operands[0]!);
}

/** The value of `--name`. */
export function nameOption({ options }: Arguments): string {
  if (options.name === undefined) throw new UsageError('--name: say what the token is for, such as "phone".');
  return readName('--name', options.name as string);
}

/** How long a token is valid, in milliseconds; null if it never expires. Parses `90d`, `12h`, `4w`. */
export function lifetimeOption({ options }: Arguments): number | null {
  if (options.expires === undefined) return null;
  const [, count, unit] = /^([1-9]\d{0,8})([hdw])$/.exec(options.expires as string) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  if (!(ms <= MAX_MS)) throw new UsageError('--expires: a number of hours, days or weeks: 12h, 90d, 4w.');
  return ms;
}

/** Names appear in lists, so invisible characters are rejected. */
function readName(what: string, text: string): string {
  const isPlain = text !== '' && text.trim() === text && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
  if (!isPlain || isLongerThan(text, MAX_LENGTH))
    throw new UsageError(`${what}: 1 to ${MAX_LENGTH} visible characters, without blanks at either end.`);
  return text;
}
