/** Decodes percent-encoding; undefined if it is malformed, which is usually found without the cost of an error. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (/%(?![\da-f]{2})/i.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
