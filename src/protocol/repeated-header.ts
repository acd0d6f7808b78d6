/** True when a header was sent more than once. @param rawHeaders alternating names and values, as sent */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name.toLowerCase()) count++;
  return count > 1;
}

/** All values of a header, in the order sent. @param rawHeaders as above */
export const linesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
