const FALLBACK = 'windows-1252';
/** Where browsers look for the encoding in a page. */
const META_BYTES = 1024;

/** The text of a page: by its byte order mark, the header, or its `meta` element; if these are wrong or absent, UTF-8 or Windows-1252. */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const candidates = [byteOrderMark(bytes), charsetIn(contentType), declaredIn(bytes), 'utf-8'];
  for (const label of candidates) {
    const text = label && decode(bytes, label);
    if (text !== undefined && label) return text;
  }
  return new TextDecoder(FALLBACK).decode(bytes);
}

/** The text, or undefined if it is not in that encoding. A character that is cut off at the end is left out. */
function decode(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** Of `text/html; charset=utf-8`, `<meta charset="utf-8">` or `<meta http-equiv="Content-Type" content="text/html; charset=utf-8">`. */
const charsetIn = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1];

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES));
  const label = charsetIn(/<meta\s[^>]*charset[^>]*>/i.exec(start)?.[0] ?? '');
  // It could not have been read in UTF-16.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
