/** A number that is not negative, perhaps as a spreadsheet writes it (`1,6E+09`); undefined for anything else. */
export const readNumber = (text: string): number | undefined =>
  /^\d+(?:[.,]\d+)?(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text.replace(',', '.')) : undefined;
