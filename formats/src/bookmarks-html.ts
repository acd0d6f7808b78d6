import { Parser } from 'htmlparser2';
import { type Entry, entryOf, type LeftOut, type Told } from './entry.js';
import { ReadError } from './read-error.js';

/** The parser searches all open elements at each end tag. Folders are never this deep, but a link may lack its end tag. */
const MAX_DEPTH = 10_000;
/** How linkding tells what is archived. */
const ARCHIVED_TAG = 'linkding:bookmarks.archived';
/** Elements in a title that do not end it. */
const INLINE = new Set(
  'abbr b bdi bdo big br cite code em font i img kbd mark q s small span strong sub sup tt u wbr'.split(' '),
);
/** Elements that end a description. */
const STRUCTURE = new Set('a dd dl dt h1 h3 hr li ol ul'.split(' '));

type Attributes = Record<string, string | undefined>;

interface Link {
  line: number;
  attributes: Attributes;
  title: string;
  excerpt: string;
  isInFolder: boolean;
  /** Pocket and Instapaper list what was read, or is a favourite, below a heading of its own. */
  isRead: boolean;
  isStarred: boolean;
}

/** Bookmarks as browsers and most services write them (the Netscape format), or as Pocket and Instapaper write HTML. */
export function readBookmarksHtml(text: string): Entry[] {
  const links = new Links(text);
  links.read();
  return links.found.map(entryOfLink);
}

/** Whether a text is such a file, and not just any web page. */
export const isBookmarksHtml = (text: string): boolean =>
  /netscape-bookmark-file|<title>\s*(?:pocket|instapaper:) export|<dt>\s*<(?:a|h3)[\s>]/i.test(text.slice(0, 65_536));

function entryOfLink({ line, attributes, title, excerpt, isInFolder, isRead, isStarred }: Link): Entry {
  const tags = (attributes.tags ?? '').split(',').filter((tag) => tag.trim() !== '');
  const isArchived = isRead || tags.includes(ARCHIVED_TAG);
  const leftOut: LeftOut[] = tags.some((tag) => tag !== ARCHIVED_TAG) ? ['tags'] : [];
  if (isInFolder) leftOut.push('folder');
  const told: Told = {
    url: attributes.href,
    title: title.replace(/\s+/g, ' '),
    excerpt: excerpt.replace(/\[\/?linkding-notes\]/g, '\n'),
    preview: attributes['data-cover'],
    addedOn: attributes.add_date ?? attributes.time_added,
    isArchived,
    isFavorite: isStarred || attributes['data-important'] === 'true',
    isUnread: attributes.toread === undefined ? undefined : attributes.toread !== '0',
    leftOut,
  };
  return entryOf({ unit: 'line', number: line }, told);
}

/** Collects the links of a document from the events of the parser. */
class Links {
  readonly found: Link[] = [];
  /** Where text goes: to a title, a description, a heading, or nowhere. */
  private target: 'title' | 'excerpt' | 'heading' | undefined;
  /** Whose description comes next: undefined after a folder. */
  private owner: Link | undefined;
  private heading = '';
  /** The first heading is the title of the whole, unless it says what is unread. */
  private headings = 0;
  /** For each list that is open, whether a folder's name came before it. */
  private readonly lists: boolean[] = [];
  private isFolderNext = false;
  private depth = 0;
  private line = 1;
  private nextBreak: number;
  private readonly parser: Parser;

  constructor(private readonly text: string) {
    this.nextBreak = text.indexOf('\n');
    this.parser = new Parser({
      onopentag: (name, attributes) => this.open(name, attributes),
      ontext: (part) => this.add(part),
      onclosetag: (name) => this.close(name),
    });
  }

  read(): void {
    this.parser.end(this.text);
  }

  private open(name: string, attributes: Attributes): void {
    if (++this.depth > MAX_DEPTH)
      throw new ReadError('elements are nested too deeply', { unit: 'line', number: this.lineNow() });
    if (name === 'br') this.add('\n');
    this.endText(name);
    if (name === 'a' && attributes.href !== undefined) this.begin(attributes);
    if (name === 'h1') [this.heading, this.target, this.headings] = ['', 'heading', this.headings + 1];
    if (name === 'h3') [this.owner, this.isFolderNext] = [undefined, true];
    if (name === 'dd') this.target = 'excerpt';
    if (name !== 'dl') return;
    this.lists.push(this.isFolderNext);
    this.isFolderNext = false;
  }

  private begin(attributes: Attributes): void {
    const heading = this.heading.trim().toLowerCase();
    const isRead = ['archive', 'read archive'].includes(heading);
    const isStarred = ['starred', 'liked'].includes(heading);
    const isHeadingFolder = this.headings > 1 && !isRead && !isStarred && heading !== 'unread';
    this.owner = {
      line: this.lineNow(),
      attributes,
      title: '',
      excerpt: '',
      isInFolder: isHeadingFolder || this.lists.includes(true),
      isRead,
      isStarred,
    };
    this.found.push(this.owner);
    this.target = 'title';
    this.isFolderNext = false;
  }

  private add(part: string): void {
    if (this.target === 'heading') this.heading += part;
    else if (this.target && this.owner) this.owner[this.target] += part;
  }

  private close(name: string): void {
    this.depth--;
    this.endText(name);
    if (name !== 'dl') return;
    this.lists.pop();
    this.owner = undefined;
  }

  /** A title whose end tag is missing ends at the next tag that is not part of it. */
  private endText(name: string): void {
    if (this.target === 'excerpt' ? STRUCTURE.has(name) : !INLINE.has(name)) this.target = undefined;
  }

  /** The line of the tag that is being read. */
  private lineNow(): number {
    for (; this.nextBreak >= 0 && this.nextBreak < this.parser.startIndex; this.line++)
      this.nextBreak = this.text.indexOf('\n', this.nextBreak + 1);
    return this.line;
  }
}
