/**
 * Where a spreadsheet would run a text as a formula: at its beginning, and also at that of a line or after a separator that is not the
 * file's own, because a spreadsheet that expects it there begins a cell, whatever the quotation marks.
 */
const BEGINNINGS = /(?<=^|[;\t\r\n])(?='*[=+\-@])|^(?='*[\t\r])/g;
const APOSTROPHES = /(?<=^|[;\t\r\n])'(?='*[=+\-@])|^'(?='*[\t\r])/g;

export const escapeFormulas = (text: string): string => text.replace(BEGINNINGS, "'");

/** What it was before it was escaped. */
export const unescapeFormulas = (text: string): string => text.replace(APOSTROPHES, '');
