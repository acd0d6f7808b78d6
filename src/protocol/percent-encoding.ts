/**
 * Decodes percent-encoding; undefined if it is malformed. Without a stack, which nobody sees, an error takes a third of
 * the time, and the query of one request has room for tens of thousands.
 */
export function decodePercent(text: string): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
