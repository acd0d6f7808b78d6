/** Strips leading and trailing space, tab, CR and LF, but no other white space. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;

/**
 * True when `text` has more than `max` code points (not UTF-16 units); never iterates over a text that is far too long.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) if (++count > max) return true;
  return false;
}
