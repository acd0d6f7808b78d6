import { readNumber } from './numbers.js';

/** Milliseconds from 1601, where Chrome's clock begins, to 1970. */
const CHROME_EPOCH_MS = 11_644_473_600_000;

/**
 * The timestamp in milliseconds of what a file says: seconds, milliseconds, microseconds, nanoseconds or Chrome's since 1601, known
 * by their size and perhaps as a spreadsheet writes them (`1,6E+09`), or a date. Undefined for a date that cannot be read, is before
 * 1970, or is 0, which stands for none.
 */
export function readDate(value: unknown, isDayFirst = false): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  const number = readNumber(text);
  const timestamp = number === undefined ? (fromIso(text) ?? fromLocal(text, isDayFirst)) : fromNumber(number);
  return timestamp !== undefined && timestamp > 0 ? timestamp : undefined;
}

/** Units of time by the number of units in a second. What is too small or between them is something else, such as `20200809`. */
function fromNumber(number: number): number | undefined {
  for (const perSecond of [1, 1e3, 1e6, 1e9]) {
    const seconds = number / perSecond;
    if (seconds < 1e8) return undefined;
    if (seconds < 1e10) return Math.round(seconds * 1000);
    if (seconds < 2e10) return Math.round(seconds * 1000) - CHROME_EPOCH_MS;
  }
  return undefined;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** ISO 8601; a time without a zone is in UTC. */
function fromIso(text: string): number | undefined {
  const [, day, minute = '00:00', second = '00', fraction = '0', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes}` : 'Z';
  return timestampOf(day, `${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
}

const LOCAL = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}):(\d\d)(?::(\d\d))?)?$/;

/** A date as spreadsheets write it; where nothing says which number is the day, it cannot be read. */
function fromLocal(text: string, isDayFirst: boolean): number | undefined {
  const [, first, separator, second, year, ...time] = LOCAL.exec(text) ?? [];
  if (first === undefined) return undefined;
  const isSecondTheDay = separator === '/' && !isDayFirst && Number(second) > 12;
  if (!isSecondTheDay && separator === '/' && !isDayFirst && Number(first) <= 12 && first !== second) return undefined;
  const [day, month] = isSecondTheDay ? [second, first] : [first, second];
  const [hours, minutes, seconds] = time.map((part = '0') => part.padStart(2, '0'));
  return timestampOf(`${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`, `${hours}:${minutes}:${seconds}Z`);
}

/** `Date` counts on from the end of a month: it takes 31 February for 2 March. */
function timestampOf(day: string, time: string): number | undefined {
  const midnight = new Date(`${day}T00:00Z`);
  const timestamp = Date.parse(`${day}T${time}`);
  if (Number.isNaN(midnight.getTime()) || Number.isNaN(timestamp)) return undefined;
  return midnight.toISOString().startsWith(day) ? timestamp : undefined;
}
