/** True where a header was sent more than once. @param rawHeaders names and values in turn, as they were sent */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name.toLowerCase()) count++;
  return count > 1;
}

/** What was sent under a name, one text for each time. @param rawHeaders as above */
export const linesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
