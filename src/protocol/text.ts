/** Strips leading and trailing space, tab, CR and LF, but no other white space. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;

/** The first `max` code points of a well-formed text, or all if it has fewer. */
export function firstCodePoints(text: string, max: number): string {
  if (!isLongerThan(text, max)) return text;
  let end = 0;
  for (let count = 0; count < max; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

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
