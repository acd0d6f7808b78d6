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
