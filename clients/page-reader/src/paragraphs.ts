import { oneLine } from './metadata.js';

const BLOCKS = new Set(
  `ADDRESS ARTICLE ASIDE BLOCKQUOTE BR CAPTION DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6
  HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL`.split(/\s+/),
);
const TEXT_NODE = 3;

/** The text of an element, cut where a browser begins a new line, so that words at the edges do not run together. */
export const paragraphsOf = (element: Element): string[] =>
  textsOf(element)
    .map((texts) => oneLine(texts.map(({ nodeValue }) => nodeValue ?? '').join('')))
    .filter(Boolean);

/** The text nodes of an element, by paragraph. */
export function textsOf(element: Element): Node[][] {
  const paragraphs: Node[][] = [[]];
  const visit = (node: Node): void => {
    if (node.nodeType === TEXT_NODE) paragraphs.at(-1)!.push(node);
    const isBlock = BLOCKS.has(node.nodeName.toUpperCase());
    if (isBlock) paragraphs.push([]);
    for (let child = node.firstChild; child; child = child.nextSibling) visit(child);
    if (isBlock) paragraphs.push([]);
  };
  visit(element);
  return paragraphs;
}
