const LINE_FEED = 0x0a;

/**
 * The text of a file: in UTF-16 or UTF-8, with or without a byte order mark, otherwise in Windows-1252, which spreadsheets write.
 * A file that is UTF-8 except for some lines is read line by line, so that no two different bytes become the same character.
 */
export function decode(bytes: Uint8Array): string {
  const unicode = unicodeOf(bytes);
  if (unicode !== 'utf-8') return new TextDecoder(unicode).decode(bytes);
  return decodeUtf8(bytes) ?? [...linesOf(bytes)].map((line) => decodeUtf8(line) ?? decodeWestern(line)).join('');
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Windows-1252 from 0x80 to 0x9f: Node 20 decodes these as ISO 8859-1 (nodejs/node issue 56542). */
const FROM_0X80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const decodeWestern = (bytes: Uint8Array): string =>
  new TextDecoder('windows-1252')
    .decode(bytes)
    .replace(/[\u0080-\u009f]/g, (character) => FROM_0X80[character.charCodeAt(0) - 0x80]!);

/** UTF-16 has a mark, or a zero in nearly every other byte where the text is of a Western language. */
export function unicodeOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const beginning = bytes.subarray(0, 1024);
  const half = Math.floor(beginning.length / 2);
  const zeros = [0, 0];
  beginning.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]! += 1;
  });
  const [high, low] = zeros as [number, number];
  if (low > half * 0.7 && high === 0) return 'utf-16le';
  return high > half * 0.7 && low === 0 ? 'utf-16be' : 'utf-8';
}

/** The lines with their line feeds; in UTF-8 no other character contains the byte of one. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from) + 1 || bytes.length;
    yield bytes.subarray(from, end);
    from = end;
  }
}
