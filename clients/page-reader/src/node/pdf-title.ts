import { oneLine } from '../metadata.js';

const MAX_OBJECT_LENGTH = 10_000;

/**
 * The title in the metadata of a PDF: of its XMP packet, which is XML that is not compressed as a rule, or of its document
 * information. Undefined if there is none to be read.
 */
export function titleOfPdf(bytes: Uint8Array): string | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return oneLine(titleOfXmp(file) ?? titleOfInformation(file.toString('latin1'))) || undefined;
}

function titleOfXmp(file: Buffer): string | undefined {
  const start = file.indexOf('<dc:title>');
  const end = start < 0 ? -1 : file.indexOf('</dc:title>', start);
  if (end < 0) return undefined;
  const text = file.toString('utf8', start, Math.min(end, start + 10_000)).replace(/<[^<>]*>/g, ' ');
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '').trim() || undefined;
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** `/Title (…)` or `/Title <…>` of the document information, in the text of a file with one character for each byte. */
function titleOfInformation(file: string): string | undefined {
  const information = objectOf(file, /\/Info\s+(\d{1,10})\s+\d{1,5}\s+R/.exec(file)?.[1]);
  const hexadecimal = /\/Title\s*<([\da-fA-F\s]{2,8000})>/.exec(information)?.[1];
  if (hexadecimal) return textOf(Buffer.from(hexadecimal.replace(/\s/g, ''), 'hex'));
  const literal = /\/Title\s*\(((?:[^\\()]|\\[^]|\((?:[^\\()]|\\[^])*\))*)\)/.exec(information)?.[1];
  return literal === undefined ? undefined : textOf(Buffer.from(unescaped(literal), 'latin1'));
}

/** The beginning of an indirect object. */
function objectOf(file: string, number: string | undefined): string {
  const start =
    number === undefined ? undefined : new RegExp(`(?:^|[\\r\\n ])${number} \\d{1,5} obj`).exec(file)?.index;
  return start === undefined ? '' : file.slice(start, start + MAX_OBJECT_LENGTH).split('endobj', 1)[0]!;
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

const unescaped = (literal: string): string =>
  literal.replace(/\\(?:([0-7]{1,3})|([^]))/g, (_, octal: string | undefined, character: string) =>
    octal ? String.fromCharCode(parseInt(octal, 8) & 0xff) : (ESCAPES[character] ?? character),
  );

/** A string of a PDF is in UTF-16 with a byte order mark, UTF-8 with one, or an encoding that is like Windows-1252. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder('utf-8').decode(bytes);
  return new TextDecoder('windows-1252').decode(bytes);
}
