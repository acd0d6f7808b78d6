import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { Parser } from 'htmlparser2';
import { type Bookmark, fromSeconds } from './bookmark.js';
import { ImportFileError } from './import-file-error.js';
import { linePieces, MAX_UNIT, type TextChunks } from './lines.js';

/** The parser searches all open elements at each end tag; bookmark folders are never this deep. */
const MAX_DEPTH = 256;
const MAX_TITLE = 4_096;

/**
 * Reads the bookmarks file that browsers and most services write (the Netscape format), and Pocket's old HTML export.
 */
export async function* readBookmarksHtml(chunks: TextChunks): AsyncGenerator<Bookmark> {
  const links = new Links();
  const parser = new Parser(links.handler, { decodeEntities: false });
  for await (const { line, piece } of linePieces(chunks)) {
    links.next(line, piece.length);
    parser.write(piece);
    yield* links.takeFinished();
  }
  parser.end();
  links.finish();
  yield* links.takeFinished();
}

/** Collects the links of a document from parser events; the parser leaves character references as they are. */
class Links {
  private line = 1;
  private charactersWithoutEvent = 0;
  private depth = 0;
  /** The link whose title or description is being read. */
  private current?: Bookmark;
  private inTitle = false;
  /** The text of the last top-level heading: Pocket lists what was read below a heading of its own. */
  private heading = '';
  private inHeading = false;
  private finished: Bookmark[] = [];

  readonly handler = {
    onopentag: (name: string, attributes: Record<string, string>) => this.open(name, attributes),
    ontext: (text: string) => this.text(text),
    onclosetag: (name: string) => this.close(name),
  };

  /** @param characters the number of characters that are parsed next */
  next(line: number, characters: number): void {
    this.line = line;
    this.charactersWithoutEvent += characters;
    if (this.charactersWithoutEvent > MAX_UNIT)
      throw new ImportFileError(line, 'a tag or comment that is never closed');
  }

  takeFinished(): Bookmark[] {
    return this.finished.splice(0);
  }

  /** Completes the current link. */
  finish(): void {
    if (this.current) this.finished.push({ ...this.current, title: decodeHTML(this.current.title).trim() });
    this.current = undefined;
  }

  private open(name: string, attributes: Record<string, string>): void {
    this.charactersWithoutEvent = 0;
    if (++this.depth > MAX_DEPTH) throw new ImportFileError(this.line, 'elements in elements without end');
    if (name === 'h1') [this.inHeading, this.heading] = [true, ''];
    if (name === 'dd' && this.current) this.current.leftOut.push('description');
    if (name !== 'a') return;
    this.finish();
    this.inTitle = true;
    if (attributes.href) this.current = this.bookmarkOf(attributes);
  }

  private bookmarkOf({ href, add_date, time_added, toread, tags }: Record<string, string | undefined>): Bookmark {
    const isRead = this.heading.trim() === 'Read Archive';
    return {
      line: this.line,
      url: decodeHTMLAttribute(href!),
      title: '',
      addedOn: fromSeconds(add_date ?? time_added),
      isUnread: toread !== '0' && !isRead,
      isArchived: isRead,
      leftOut: tags ? ['tags'] : [],
    };
  }

  private text(text: string): void {
    this.charactersWithoutEvent = 0;
    if (this.inHeading && this.heading.length < MAX_TITLE) this.heading += text;
    if (this.current && this.inTitle && this.current.title.length < MAX_TITLE) this.current.title += text;
  }

  private close(name: string): void {
    this.charactersWithoutEvent = 0;
    this.depth--;
    if (name === 'a') this.inTitle = false;
    if (name === 'h1') this.inHeading = false;
  }
}
