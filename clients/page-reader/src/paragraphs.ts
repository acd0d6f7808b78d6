import { oneLine } from './metadata.js';

const BLOCKS = new Set(
  `ADDRESS ARTICLE ASIDE BLOCKQUOTE BR CAPTION DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6
  HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL`.split(/\s+/),
);
const TEXT_NODE = 3;

/** The text of an element, cut where a browser begins a new line, so that words at the edges do not run together. */
export function paragraphsOf(element: Element): string[] {
  const paragraphs = [''];
  const visit = (node: Node): void => {
    if (node.nodeType === TEXT_NODE) paragraphs.push((paragraphs.pop() ?? '') + (node.nodeValue ?? ''));
    const isBlock = BLOCKS.has(node.nodeName.toUpperCase());
    if (isBlock) paragraphs.push('');
    for (let child = node.firstChild; child; child = child.nextSibling) visit(child);
    if (isBlock) paragraphs.push('');
  };
  visit(element);
  return paragraphs.map(oneLine).filter(Boolean);
}
