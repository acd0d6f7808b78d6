/** Splits comma-separated values into rows of fields (RFC 4180): quoted fields may hold commas, line ends and `""`. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

/** The rows below the first one as records, the first one giving the names in lower case. */
export function csvRecords(text: string): Record<string, string | undefined>[] {
  const [header = [], ...rows] = parseCsv(text);
  const names = header.map((name) => name.trim().toLowerCase());
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}
