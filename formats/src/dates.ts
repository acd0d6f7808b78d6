/** Milliseconds from 1601, where Chrome's clock begins, to 1970. */
const CHROME_EPOCH_MS = 11_644_473_600_000;

/**
 * The timestamp in milliseconds of what a file says: seconds, milliseconds, microseconds, nanoseconds or Chrome's microseconds since
 * 1601, known by their size and perhaps as a spreadsheet writes them (`1,6E+09`), or a date. Undefined for a date that cannot be read,
 * is before 1970, or is 0, which stands for none.
 */
export function readDate(value: unknown, isDayFirst = false): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  const isNumber = /^\d+(?:[.,]\d+)?(?:e\+?\d{1,2})?$/i.test(text);
  const timestamp = isNumber
    ? fromNumber(Number(text.replace(',', '.')))
    : (fromIso(text) ?? fromLocal(text, isDayFirst));
  return timestamp !== undefined && timestamp > 0 ? timestamp : undefined;
}

function fromNumber(number: number): number | undefined {
  if (number < 1e11) return Math.round(number * 1000);
  if (number < 1e14) return Math.round(number);
  if (number < 1e16) return Math.round(number / 1e3);
  if (number < 1e17) return Math.round(number / 1e3) - CHROME_EPOCH_MS;
  return number < 1e19 ? Math.round(number / 1e6) : undefined;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** ISO 8601; a time without a zone is in UTC. */
function fromIso(text: string): number | undefined {
  const [, day, minute = '00:00', second = '00', fraction = '0', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes}` : 'Z';
  return valid(Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`));
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
  const iso = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}T${hours}:${minutes}:${seconds}Z`;
  return valid(Date.parse(iso));
}

const valid = (timestamp: number): number | undefined => (Number.isNaN(timestamp) ? undefined : timestamp);
