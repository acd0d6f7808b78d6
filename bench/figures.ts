import type { Measured, Round } from './throughput.js';

/** The medians of one server's rounds. */
export interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  microsecondsOfProcessor: number;
}

/** One line of the results. */
export interface Comparison {
  operation: string;
  title: string;
  limit: Figures;
  service: Figures;
  /** The throughput of the service relative to the limit server: the median over pairs of adjacent rounds. */
  ratio: number;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function figuresOf(rounds: Round[]): Figures {
  const of = (name: 'perSecond' | 'p50' | 'p99' | 'microsecondsOfProcessor') =>
    median(rounds.map((round) => round[name]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    microsecondsOfProcessor: of('microsecondsOfProcessor'),
  };
}

/** Compares `service` with `limit`, or two other servers. */
export function compare(measured: Measured[], service = 'service', limit = 'limit'): Comparison[] {
  return measured.map(({ operation, title, rounds }) => ({
    operation,
    title,
    limit: figuresOf(rounds[limit]!),
    service: figuresOf(rounds[service]!),
    ratio: median(rounds[service]!.map(({ perSecond }, at) => perSecond / rounds[limit]![at]!.perSecond)),
  }));
}

/** A Markdown table. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = [headings, headings.map((_, at) => (at === 0 ? '---' : '---:')), ...rows];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Three significant digits. */
export const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();

export function comparisonTable(comparisons: Comparison[]): string {
  const headings = ['operation', 'limit /s', 'service /s', '**ratio**', 'p50 ms', 'p99 ms', 'limit p50', 'limit p99'];
  const more = ['CPU µs/request', 'limit CPU', 'errors'];
  const rows = comparisons.map(({ title, limit, service, ratio }) => [
    title,
    short(limit.perSecond),
    short(service.perSecond),
    `**${ratio.toFixed(2)}**`,
    ...[service.p50, service.p99, limit.p50, limit.p99].map(short),
    ...[service.microsecondsOfProcessor, limit.microsecondsOfProcessor].map(short),
    service.errors + limit.errors,
  ]);
  return table([...headings, ...more], rows);
}
