/** True where a header was sent more than once. @param rawHeaders names and values in turn, as they were sent */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name.toLowerCase()) count++;
  return count > 1;
}
