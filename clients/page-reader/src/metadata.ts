/** A text on one line: white space and control characters become single spaces. */
export const oneLine = (text: string | null | undefined): string => (text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** The content of a `meta` element, by `property` or `name`; undefined if it is absent or empty. */
export function metaOf(document: Document, name: string): string | undefined {
  for (const element of document.querySelectorAll(`meta[property="${name}"], meta[name="${name}"]`)) {
    const content = oneLine(element.getAttribute('content'));
    if (content) return content;
  }
  return undefined;
}
