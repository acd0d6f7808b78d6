import { comparisonTable, median, short, table } from '../figures.js';
import type { Growth } from '../growth.js';
import type { JobResult } from '../load/job.js';
import type { ProcessFacts, Results } from '../measure.js';

/** Prints all results of one database as Markdown. */
export function print({ database, comparisons, others, facts, load, articles, users }: Results): void {
  const section = (title: string, text: string) => console.log(`\n### ${database}: ${title}\n\n${text}`);
  const ratios = comparisons.map(({ ratio }) => ratio);
  if (ratios.length > 0) {
    section('service and limit server', comparisonTable(comparisons));
    console.log(`\nmedian ratio ${median(ratios).toFixed(2)}, lowest ${Math.min(...ratios).toFixed(2)}`);
  }
  for (const [name, comparison] of Object.entries(others)) section(name, comparisonTable(comparison));
  if (facts.length > 0) section('processes', factsTable(facts));
  if (facts[0]?.statements) section('statements per operation', statementsTable(facts));
  if (load) section('at 80 % of the highest load', loadTable(load));
  if (articles) section('articles of one user', growthTable(articles));
  if (users) section('users', growthTable(users));
}

function factsTable(facts: ProcessFacts[]): string {
  const rows = facts.map(({ name, startMilliseconds, idleMebibytes, loadedMebibytes }) => [
    name,
    short(startMilliseconds),
    short(idleMebibytes),
    short(loadedMebibytes),
  ]);
  return table(['process', 'start ms', 'idle MiB', 'after load MiB'], rows);
}

function statementsTable(facts: ProcessFacts[]): string {
  const rows = Object.keys(facts[0]!.statements!).map((operation) => [
    operation,
    ...facts.map(({ statements }) => short(statements![operation]!)),
  ]);
  return table(['operation', ...facts.map(({ name }) => name)], rows);
}

/** Medians of rounds; refusals and errors are sums. */
function loadTable(load: NonNullable<Results['load']>): string {
  const rows = Object.entries(load).flatMap(([operation, servers]) =>
    Object.entries(servers).map(([server, { most, atFourFifths }]) => {
      const middle = (of: (round: JobResult) => number) => median(atFourFifths.map(of));
      const sum = (of: (round: JobResult) => number) => atFourFifths.reduce((total, round) => total + of(round), 0);
      return [
        operation,
        server,
        short(median(most.map(({ perSecond }) => perSecond))),
        short(middle(({ sent }) => sent.p50)),
        short(middle(({ sent }) => sent.p99)),
        middle(({ sent }) => sent.p99 / sent.p50).toFixed(1),
        middle(({ p50, p99 }) => p99 / p50).toFixed(1),
        sum(({ refused }) => refused),
        sum(({ errors }) => errors),
      ];
    }),
  );
  const latencies = ['p50 ms', 'p99 ms', 'p99 / p50', 'since due'];
  return table(['operation', 'server', 'highest /s', ...latencies, 'refused', 'errors'], rows);
}

/** Latencies, and their ratio to the smallest size. */
function growthTable({ sizes, milliseconds }: Growth): string {
  const rows = Object.entries(milliseconds).map(([operation, times]) => [
    operation,
    ...times.map((time, at) =>
      at === 0 ? `${short(time)} ms` : `${short(time)} ms (${(time / times[0]!).toFixed(2)})`,
    ),
  ]);
  return table(['operation', ...sizes.map((size) => size.toLocaleString('en'))], rows);
}
