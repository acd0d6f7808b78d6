/** A horizontal bar chart with labelled groups of bars. */
export interface Chart {
  title: string;
  /** The name and colour of each bar of a group. */
  series: { name: string; colour: string }[];
  groups: { label: string; values: number[] }[];
  /** Values that are marked by lines across all groups. */
  marks: { value: number; label: string }[];
  format: (value: number) => string;
}

const LABEL_WIDTH = 230;
const BAR_WIDTH = 560;
const BAR_HEIGHT = 12;
const GAP = 12;
const TOP = 64;

export const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The chart as an SVG document. */
export function svgOf({ title, series, groups, marks, format }: Chart): string {
  const most = Math.max(...marks.map(({ value }) => value), ...groups.flatMap(({ values }) => values));
  const x = (value: number): number => LABEL_WIDTH + (value / most) * BAR_WIDTH;
  const groupHeight = series.length * BAR_HEIGHT + GAP;
  const bottom = TOP + groups.length * groupHeight;
  const text = (at: number, y: number, words: string, more = '') =>
    `<text x="${at.toFixed(1)}" y="${y}"${more}>${escape(words)}</text>`;
  const legend = series.map(({ name, colour }, at) => {
    const left = LABEL_WIDTH + at * 160;
    return `<rect x="${left}" y="34" width="10" height="10" fill="${colour}"/>${text(left + 15, 43, name)}`;
  });
  const bars = groups.flatMap(({ label, values }, at) => {
    const top = TOP + at * groupHeight;
    const middle = top + (series.length * BAR_HEIGHT) / 2 + 4;
    return [
      text(LABEL_WIDTH - 8, middle, label, ' text-anchor="end"'),
      ...values.flatMap((value, bar) => {
        const y = top + bar * BAR_HEIGHT;
        const width = (x(value) - LABEL_WIDTH).toFixed(1);
        return [
          `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT - 2}" fill="${series[bar]!.colour}"/>`,
          text(x(value) + 4, y + BAR_HEIGHT - 3, format(value)),
        ];
      }),
    ];
  });
  const lines = marks.flatMap(({ value, label }) => [
    `<line x1="${x(value).toFixed(1)}" x2="${x(value).toFixed(1)}" y1="${TOP - 6}" y2="${bottom}" stroke="#999" stroke-dasharray="3 3"/>`,
    text(x(value), bottom + 14, label, ' text-anchor="middle"'),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LABEL_WIDTH + BAR_WIDTH + 70} ${bottom + 24}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(12, 20, title, ' font-size="14" font-weight="bold"'),
    ...legend,
    ...lines,
    ...bars,
    '</svg>\n',
  ].join('\n');
}
