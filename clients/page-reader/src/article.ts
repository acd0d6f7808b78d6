import { Readability } from '@mozilla/readability';
import { oneLine } from './metadata.js';
import { paragraphsOf } from './paragraphs.js';
import { countWords } from './words.js';

/** Readability takes seconds for larger trees, and minutes for deep ones. Pages of such sizes are lists, not articles. */
const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 500;
/** Of shorter texts, Readability tries again with parts that it took for navigation and comments. */
const CHARACTERS_OF_ARTICLE = 250;
const MIN_WORDS = 50;
const MIN_WORDS_BESIDE_PASSWORD = 100;
const MAX_SHARE_OF_LINKS = 0.5;
/** What is never the text of an article; the last three are of MediaWiki. */
const NOT_TEXT = 'script, style, noscript, template, .noprint, .mw-editsection, sup.reference';

/** The words of an article and their beginning; undefined if the page does not have one. */
export function findArticle(
  document: Document,
  { url, title }: { url: string; title: string },
): { words: number; excerpt: string } | undefined {
  if (!/html/.test(document.contentType ?? 'text/html') || document.body?.nodeName.toUpperCase() !== 'BODY')
    return undefined;
  if (isTooLarge(document.body) || isSearch(document, url)) return undefined;
  const content = contentOf(document.cloneNode(true) as Document, title);
  if (!content) return undefined;
  const found = countWords(paragraphsOf(content));
  const minimum = document.querySelector('input[type="password" i]') ? MIN_WORDS_BESIDE_PASSWORD : MIN_WORDS;
  return found.words >= minimum && shareOfLinks(content) <= MAX_SHARE_OF_LINKS ? found : undefined;
}

/** Whether reading would take too long. */
export function isTooLarge(root: Element): boolean {
  let [elements, depth] = [0, 0];
  for (let element: Element | null = root; element && elements <= MAX_ELEMENTS && depth <= MAX_DEPTH;) {
    elements++;
    if (element.firstElementChild) depth++;
    let next: Element | null = element.firstElementChild;
    for (let leaf = element; !next && leaf !== root; leaf = leaf.parentElement!) {
      next = leaf.nextElementSibling;
      if (!next) depth--;
    }
    element = next;
  }
  return elements > MAX_ELEMENTS || depth > MAX_DEPTH;
}

/** The element with the article's text, without its title, in a copy of the page, which is changed. */
export function contentOf(copy: Document, title: string): Element | undefined {
  for (const element of copy.querySelectorAll(NOT_TEXT)) element.remove();
  // Readability does so with titles in Latin letters.
  for (const heading of copy.querySelectorAll('h1, h2')) if (oneLine(heading.textContent) === title) heading.remove();
  try {
    const options = { charThreshold: CHARACTERS_OF_ARTICLE, disableJSONLD: true, serializer: (node: Node) => node };
    return (new Readability<Node>(copy, options).parse()?.content as Element | null | undefined) ?? undefined;
  } catch {
    // Elements that are nested too deeply, for example.
    return undefined;
  }
}

/** Whether the page has a field with the term that its own URL searches for. */
function isSearch(document: Document, url: string): boolean {
  const { searchParams } = new URL(url);
  return [...document.querySelectorAll<HTMLInputElement>('input[name]')].some(
    (input) =>
      input.value &&
      !/^(?:hidden|checkbox|radio|submit)$/i.test(input.type) &&
      searchParams.get(input.name) === input.value,
  );
}

function shareOfLinks(content: Element): number {
  const lengthOf = (element: Element) => (element.textContent ?? '').length;
  const links = [...content.querySelectorAll('a')].reduce((sum, link) => sum + lengthOf(link), 0);
  return links / (lengthOf(content) || 1);
}
