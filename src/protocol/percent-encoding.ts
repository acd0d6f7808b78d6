/** Decodes percent-encoding; undefined if it is malformed. Without a stack, an error takes a third of the time. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (/%(?![\da-f]{2})/i.test(text)) return undefined;
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
