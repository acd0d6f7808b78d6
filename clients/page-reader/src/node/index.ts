import { parseHTML } from 'linkedom';
import { parse, serialize } from 'parse5';
import { type PageFacts, readPage } from '../index.js';
import { cut, nameOf } from '../title.js';
import { decodeHtml } from './charset.js';
import { titleOfPdf } from './pdf-title.js';

export { isBare, missingFields, type PageFacts } from '../index.js';

const MAX_BYTES = 5 * 1024 * 1024;

/** What a web server sent. */
export interface Download {
  /** What is beyond 5 MB is not read. */
  bytes: Uint8Array;
  /** The header `Content-Type`. */
  contentType: string;
  /** Where it came from, after redirects. */
  url: string;
}

/** Reads a page, or what is known of another file: its title. */
export function readDownload({ bytes, contentType, url }: Download): PageFacts {
  const data = bytes.subarray(0, MAX_BYTES);
  if (isHtml(contentType)) return readPage(documentOf(decodeHtml(data, contentType)), url);
  const title = (/\bpdf\b/i.test(contentType) && cut(titleOfPdf(data) ?? '')) || nameOf(url);
  return { title, excerpt: '', word_count: null, is_article: false, preview: null, resolved_url: url };
}

/** A server that does not say what it sends means HTML. */
const isHtml = (contentType: string): boolean => /^\s*(?:$|text\/html|application\/xhtml\+xml)/i.test(contentType);

/** The document of a page, without running anything of it. parse5 builds the same tree as browsers, linkedom only from clean HTML. */
const documentOf = (html: string): Document => parseHTML(serialize(parse(html))).document;
