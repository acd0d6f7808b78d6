import { contentOf, isTooLarge } from './article.js';
import { textsOf } from './paragraphs.js';
import { titleOf } from './title.js';
import { wordsIn } from './words.js';

const SHOW_TEXT = 4;

/** A word of the article and where the page has it. */
export interface PlacedWord {
  text: Text;
  start: number;
  /** The end of the word, or of the text if the word goes on in the next one. */
  end: number;
}

/**
 * The words that `word_count` counts, in the same order, each with its place in the live page, so that a count of words read can
 * be turned into a place to scroll to, and back. Empty if the page does not have an article.
 * @param url where the page came from, after redirects
 */
export function placeWords(document: Document, url: string = document.URL): (PlacedWord | undefined)[] {
  if (isTooLarge(document.body)) return [];
  const copy = document.cloneNode(true) as Document;
  const originals = pairTexts(document, copy);
  const content = contentOf(copy, titleOf(document, url));
  return content ? textsOf(content).flatMap((texts) => placeInParagraph(texts, originals)) : [];
}

/** The texts of the page by those of its copy. */
function pairTexts(document: Document, copy: Document): Map<Node, Text> {
  const pairs = new Map<Node, Text>();
  const [originals, copies] = [document, copy].map((root) => root.createTreeWalker(root, SHOW_TEXT)) as [
    TreeWalker,
    TreeWalker,
  ];
  while (originals.nextNode() && copies.nextNode()) pairs.set(copies.currentNode, originals.currentNode as Text);
  return pairs;
}

function placeInParagraph(texts: readonly Node[], originals: ReadonlyMap<Node, Text>): (PlacedWord | undefined)[] {
  const paragraph = texts.map(({ nodeValue }) => nodeValue ?? '').join('');
  const words: (PlacedWord | undefined)[] = [];
  let [at, begin] = [0, 0];
  for (const { start, end } of wordsIn(paragraph)) {
    const lengthOf = () => texts[at]!.nodeValue!.length;
    for (; start >= begin + lengthOf(); at++) begin += lengthOf();
    const text = originals.get(texts[at]!);
    words.push(text && { text, start: start - begin, end: Math.min(end - begin, lengthOf()) });
  }
  return words;
}
