const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A preference or one of its parameters: a name, and a token or quoted string as its value (RFC 7240, section 2). */
const PAIR = new RegExp(`^(${TOKEN})(?:[ \\t]*=[ \\t]*(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")?)?$`, 's');

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), possibly Infinity; undefined without that preference. The first of
 * several counts. Malformed and unknown preferences are ignored.
 * @param lines the `Prefer` headers of a request, one string for each
 */
export function readWait(lines: readonly string[] = []): number | undefined {
  for (const line of lines)
    for (const preference of splitOutsideQuotes(line, ',')) {
      const [first, ...parameters] = splitOutsideQuotes(preference, ';');
      const pair = PAIR.exec(first!);
      if (pair?.[1]!.toLowerCase() !== 'wait' || !parameters.every(isParameter)) continue;
      const value = unquoted(pair[2] ?? '');
      return /^\d+$/.test(value) ? Number(value) : undefined;
    }
  return undefined;
}

const isParameter = (text: string): boolean => text === '' || PAIR.test(text);

const unquoted = (word: string): string => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/gs, '$1') : word);

/** The parts of a text, trimmed. A quote that is never closed extends to the end. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (isQuoted && text[at] === '\\') at++;
    else if (!isQuoted && text[at] === separator) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}
