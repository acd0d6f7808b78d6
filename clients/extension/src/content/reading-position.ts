import { type PlacedWord, placeWords } from '@reading-list/page-reader';

/** Where people read, as a share of the window's height: below what sites fix to its top. */
const LINE = 0.15;

/** Translates between words of an article and places in the window. */
export class ReadingPosition {
  readonly #document: Document;
  readonly #url: string;
  #words: readonly (PlacedWord | undefined)[] = [];

  constructor(document: Document, url: string) {
    this.#document = document;
    this.#url = url;
    this.#place();
  }

  /** How many words are above the line, or all of them if the last one is in sight. */
  read(): number {
    // The page may have replaced its text.
    if (!this.#words.find(Boolean)?.text.isConnected) this.#place();
    const last = this.#words.findLast((word) => word && boxOf(word));
    const end = last && boxOf(last);
    if (!end) return 0;
    return end.bottom <= innerHeight ? this.#words.length : this.#countAbove(innerHeight * LINE);
  }

  /** Scrolls the word to the line; does nothing if nothing or everything was read. */
  show(position: number): void {
    if (position <= 0 || position >= this.#words.length) return;
    const word = this.#words.slice(position).find((candidate) => candidate && boxOf(candidate));
    const box = word && boxOf(word);
    if (!box) return;
    // A pixel further, so that the line of text counts as the first one.
    const top = box.top - innerHeight * LINE + 1;
    scrollerOf(word.text).scrollBy({ top, behavior: 'instant' });
  }

  #place(): void {
    this.#words = placeWords(this.#document, this.#url);
  }

  #countAbove(line: number): number {
    const isBelow = (box: DOMRect | undefined) => box !== undefined && box.bottom > line;
    for (let index = 0; index < this.#words.length; index++) {
      const word = this.#words[index];
      if (!word) continue;
      // A whole text is looked at before its words.
      if (word.text !== this.#words[index - 1]?.text && !isBelow(boxOf({ ...word, start: 0, end: word.text.length }))) {
        while (this.#words[index + 1]?.text === word.text) index++;
        continue;
      }
      if (isBelow(boxOf(word))) return index;
    }
    return this.#words.length;
  }
}

/** Undefined if it is not shown. */
function boxOf({ text, start, end }: PlacedWord): DOMRect | undefined {
  const range = text.ownerDocument.createRange();
  range.setStart(text, Math.min(start, text.length));
  range.setEnd(text, Math.min(end, text.length));
  const box = range.getBoundingClientRect();
  return box.height > 0 ? box : undefined;
}

/** What scrolls the text: the page, in most cases. */
function scrollerOf(text: Text): Element {
  for (let element = text.parentElement; element && element !== document.body; element = element.parentElement) {
    const isScroller = /^(?:auto|scroll)$/.test(getComputedStyle(element).overflowY);
    if (isScroller && element.scrollHeight > element.clientHeight) return element;
  }
  return document.scrollingElement ?? document.documentElement;
}
