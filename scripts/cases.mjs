// Writes the table in docs/testing.md: section of the protocol, spec file, number of cases. --check only compares.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/testing.md';
const [BEGIN, END] = ['<!-- cases -->\n', '<!-- /cases -->'];

/** The sections of docs/protocol.md that a file covers. */
const SECTIONS = {
  'articles-create.spec.ts': 'Creating',
  'articles-delete.spec.ts': 'Deleting',
  'articles-list.spec.ts': 'Listing, Filters, Order, Pages',
  'articles-patch.spec.ts': 'PATCH, States',
  'articles-read.spec.ts': 'Articles',
  'authentication.spec.ts': 'Authentication',
  'bad-input.spec.ts': 'Errors (hostile)',
  'batch-bytes.spec.ts': 'Batch, Limits',
  'batch.spec.ts': 'Batch',
  'compression.spec.ts': 'Headers',
  'conditional.spec.ts': 'Conditional requests',
  'device-simulation.spec.ts': 'Polling, Batch',
  'end-of-service.spec.ts': 'Versioning',
  'headers.spec.ts': 'Headers, Other origins',
  'isolation.spec.ts': 'Authentication',
  'lease.spec.ts': 'Tombstone retention',
  'middle-boxes.spec.ts': 'Headers (what proxies break)',
  'middlewares.spec.ts': 'Headers (what an operator adds)',
  'page-bytes.spec.ts': 'Pages, Limits',
  'paging.property.spec.ts': 'Pages',
  'personal-tokens.spec.ts': 'Authentication',
  'protocol-errors.spec.ts': 'Errors, Limits',
  'rate-limit.spec.ts': 'Limits',
  'root-and-health.spec.ts': 'Utility endpoints',
  'smoke.spec.ts': 'Articles',
  'statements.spec.ts': 'what each request costs the database',
  'timestamps.spec.ts': 'Timestamps, Polling',
  'token-commands.spec.ts': 'Authentication (commands)',
  'validation.spec.ts': 'Articles',
  'waiting.spec.ts': 'Waiting',
  'web-app.spec.ts': 'Utility endpoints',
};

const page = readFileSync(PAGE, 'utf8');
const updated = withTable(page);
if (!process.argv.includes('--check')) writeFileSync(PAGE, updated);
else if (page !== updated) fail(`${PAGE} is out of date: npm run cases`);

function withTable(text) {
  const files = readdirSync('test/api').filter((name) => name.endsWith('.spec.ts'));
  const unknown = files.filter((name) => !(name in SECTIONS));
  if (unknown.length > 0) fail(`${unknown.join(', ')}: which section of the protocol? Say it in scripts/cases.mjs`);
  const counts = countCases();
  const rows = files.map((name) => [SECTIONS[name], `\`test/api/${name}\``, String(counts.get(name) ?? 0)]);
  const table = [['Section of [the protocol](protocol.md)', 'Spec file', 'Cases'], ...rows.sort(bySection)];
  const widths = [0, 1, 2].map((at) => Math.max(...table.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const [head, ...lines] = table.map(line);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${text.slice(0, text.indexOf(BEGIN) + BEGIN.length)}\n${[head, rule, ...lines].join('\n')}\n\n${text.slice(text.indexOf(END))}`;
}

function bySection([a, fileA], [b, fileB]) {
  return a === b ? (fileA < fileB ? -1 : 1) : a < b ? -1 : 1;
}

function countCases() {
  const listed = execFileSync('npx', ['vitest', 'list', '--project', 'api-sqlite', '--json'], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const text = listed.toString();
  const counts = new Map();
  for (const { file } of JSON.parse(text.slice(text.indexOf('[\n')))) {
    const name = file.split('/').at(-1);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
