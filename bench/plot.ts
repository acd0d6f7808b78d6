import { readFileSync, writeFileSync } from 'node:fs';
import type { Results } from './measure.js';
import { svgOf } from './report/chart.js';

/* Draws docs/performance*.svg from the figures of the latest `npm run bench`. */
const { databases } = JSON.parse(readFileSync(process.argv[2] ?? 'artefacts/bench.json', 'utf8')) as {
  databases: Results[];
};
const COLOURS = ['#2b6cb0', '#dd6b20', '#38a169', '#805ad5'];
const named = (names: string[]) => names.map((name, at) => ({ name, colour: COLOURS[at % COLOURS.length]! }));
const plain = (title: string): string => title.replaceAll('`', '');

writeFileSync(
  'docs/performance.svg',
  svgOf({
    title: 'Throughput of the service as a share of the limit server',
    series: named(databases.map(({ database }) => (database === 'mariadb' ? 'MariaDB' : 'SQLite'))),
    groups: databases[0]!.comparisons.map(({ title }, at) => ({
      label: plain(title),
      values: databases.map(({ comparisons }) => comparisons[at]!.ratio),
    })),
    marks: [
      { value: 0.55, label: 'each ≥ 0.55' },
      { value: 0.75, label: 'median ≥ 0.75' },
      { value: 1, label: 'limit' },
    ],
    format: (value) => value.toFixed(2),
  }),
);

const { articles } = databases[0]!;
if (articles)
  writeFileSync(
    'docs/performance-growth.svg',
    svgOf({
      title: 'Median latency on MariaDB by articles of the user, in milliseconds',
      series: named(articles.sizes.map((size) => `${size.toLocaleString('en')} articles`)),
      groups: Object.entries(articles.milliseconds).map(([label, values]) => ({ label, values })),
      marks: [],
      format: (value) => value.toFixed(2),
    }),
  );
