import type { Slowdown } from '../support/deployment/pace.js';

/** What became of one case. `not-here`: the deployment does not have what it needs. */
export type Outcome = 'passed' | 'failed' | 'not-here';

export interface CaseResult {
  /** Path of the spec file. */
  file: string;
  /** Name with those of the groups around it. */
  name: string;
  outcome: Outcome;
  seconds: number;
  /** Why it failed or can't run; credentials are masked. */
  reason?: string;
}

export interface RunResult {
  url: string;
  startedOn: string;
  cases: CaseResult[];
  /** What the limits of the deployment did to the run. */
  slowdown?: Slowdown;
}

/** In words for people; undefined when nothing was slowed. */
export function slowdownText({ slowdown }: RunResult): string | undefined {
  if (!slowdown || (slowdown.refused === 0 && slowdown.seconds === 0)) return undefined;
  const { refused, seconds } = slowdown;
  return `Slowed by the deployment: ${refused} requests got 429 and were repeated; Backoff and Retry-After asked to wait ${Math.round(seconds)} s.`;
}

/** Exit codes of `npm run test:e2e`. */
export const EXIT = { passed: 0, failed: 1, usage: 2, nothingRan: 3 } as const;

export const countOf = ({ cases }: RunResult, outcome: Outcome): number =>
  cases.filter((one) => one.outcome === outcome).length;

/** A run in which nothing was executed is not a success. */
export function exitCodeOf(run: RunResult): number {
  if (countOf(run, 'failed') > 0) return EXIT.failed;
  return countOf(run, 'passed') === 0 ? EXIT.nothingRan : EXIT.passed;
}

/** Hides every secret in a text. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text);

const escaped = (text: string): string =>
  text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** JUnit XML: a suite for each file; cases that can't run are skipped there, with their reason. */
export function junitXml(run: RunResult): string {
  const files = [...new Set(run.cases.map(({ file }) => file))];
  const suites = files.map((file) =>
    suiteXml(
      file,
      run.cases.filter((one) => one.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="reading list at ${escaped(run.url)}" tests="${
    run.cases.length
  }" failures="${countOf(run, 'failed')}" skipped="${countOf(run, 'not-here')}">\n${suites.join('')}</testsuites>\n`;
}

function suiteXml(file: string, cases: readonly CaseResult[]): string {
  const count = (outcome: Outcome) => cases.filter((one) => one.outcome === outcome).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
  const head = `name="${escaped(file)}" tests="${cases.length}" failures="${count('failed')}" skipped="${count('not-here')}" time="${seconds}"`;
  return `  <testsuite ${head}>\n${cases.map(caseXml).join('')}  </testsuite>\n`;
}

function caseXml({ file, name, outcome, seconds, reason = '' }: CaseResult): string {
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds.toFixed(3)}"`;
  if (outcome === 'passed') return `${head}/>\n`;
  const [firstLine = ''] = reason.split('\n');
  const inner =
    outcome === 'failed'
      ? `<failure message="${escaped(firstLine)}">${escaped(reason)}</failure>`
      : `<skipped message="${escaped(firstLine)}"/>`;
  return `${head}>${inner}</testcase>\n`;
}

/** One page for people: the verdict, then failures, then what could not run and why, then files. */
export function htmlReport(run: RunResult): string {
  const [passed, failed, notHere] = (['passed', 'failed', 'not-here'] as const).map((outcome) => countOf(run, outcome));
  const verdict = exitCodeOf(run) === EXIT.passed ? 'passed' : failed ? 'failed' : 'nothing ran';
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>End-to-end run: ${verdict}</title>
<style>${STYLE}</style>
<h1 class="${verdict === 'passed' ? 'good' : 'bad'}">End-to-end run: ${verdict}</h1>
<p>${escaped(run.url)}, ${escaped(run.startedOn)}: <b>${passed} passed, ${failed} failed, ${notHere} can't run here</b>.</p>
${slowdownHtml(run)}${failuresHtml(run)}${notHereHtml(run)}<h2>Files</h2>
<table><tr><th>File<th>passed<th>failed<th>can't run here</tr>${filesHtml(run)}</table>
</html>
`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
.good{color:#0a7d33}.bad{color:#b3261e}pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid #b3261e;padding-left:1rem}
table{border-collapse:collapse}td,th{padding:.15rem .8rem;text-align:right;border-bottom:1px solid #8884}td:first-child,th:first-child{text-align:left}`;

function slowdownHtml(run: RunResult): string {
  const text = slowdownText(run);
  return text === undefined ? '' : `<p>${escaped(text)}</p>\n`;
}

function failuresHtml({ cases }: RunResult): string {
  const failures = cases.filter(({ outcome }) => outcome === 'failed');
  if (failures.length === 0) return '';
  const entries = failures.map(
    ({ file, name, reason = '' }) => `<h3>${escaped(name)}</h3><p>${escaped(file)}</p><pre>${escaped(reason)}</pre>\n`,
  );
  return `<h2>Failures</h2>\n${entries.join('')}`;
}

function notHereHtml({ cases }: RunResult): string {
  const reasons = new Map<string, CaseResult[]>();
  for (const one of cases.filter(({ outcome }) => outcome === 'not-here'))
    reasons.set(one.reason ?? '', [...(reasons.get(one.reason ?? '') ?? []), one]);
  if (reasons.size === 0) return '';
  const entries = [...reasons].map(
    ([reason, those]) =>
      `<details><summary>${escaped(reason)} (${those.length})</summary><ul>${those
        .map(({ file, name }) => `<li>${escaped(name)} <small>${escaped(file)}</small></li>`)
        .join('')}</ul></details>\n`,
  );
  return `<h2>Can't run here</h2>\n${entries.join('')}`;
}

function filesHtml({ cases }: RunResult): string {
  const count = (file: string, outcome: Outcome) =>
    cases.filter((one) => one.file === file && one.outcome === outcome).length;
  return [...new Set(cases.map(({ file }) => file))]
    .map(
      (file) =>
        `<tr><td>${escaped(file)}<td>${count(file, 'passed')}<td>${count(file, 'failed')}<td>${count(file, 'not-here')}</tr>`,
    )
    .join('\n');
}
