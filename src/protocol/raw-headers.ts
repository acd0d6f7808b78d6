/**
 * How many headers a request may have, also as an entry of a batch: each costs much more memory and time than its bytes.
 * Node's own limit would silently drop the last ones.
 */
export const MAX_HEADERS = 1_000;

/** True for a request with too many headers; `rawHeaders` has names and values in turn. */
export const hasTooManyHeaders = ({ rawHeaders }: { rawHeaders: readonly string[] }): boolean =>
  rawHeaders.length > 2 * MAX_HEADERS;

/** True when a header was sent more than once. @param rawHeaders names and values in turn, as sent */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let sameLength = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.length === name.length) sameLength++;
  return sameLength > 1 && linesOf(name, rawHeaders).length > 1;
}

/** All values of a header, in the order sent. @param rawHeaders as above */
export function linesOf(name: string, rawHeaders: readonly string[]): string[] {
  const lowered = name.toLowerCase();
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === lowered);
}
