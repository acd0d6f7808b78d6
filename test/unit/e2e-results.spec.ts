import { describe, expect, it } from 'vitest';
import { type CaseResult, EXIT, exitCodeOf, htmlReport, junitXml, masked, type RunResult } from '../e2e/results.js';

const passed: CaseResult = { file: 'a.spec.ts', name: 'works', outcome: 'passed', seconds: 0.5 };
const failed: CaseResult = { ...passed, name: 'breaks <b>', outcome: 'failed', reason: 'expected "1" & got\n2\u0000' };
const notHere: CaseResult = { ...passed, file: 'b.spec.ts', name: 'elsewhere', outcome: 'not-here', reason: 'needs X' };
const run = (...cases: CaseResult[]): RunResult => ({ url: 'https://x.test', startedOn: '2026-01-01', cases });

describe('the exit status', () => {
  it.each([
    ['all passed', [passed], EXIT.passed],
    ['some cannot run here', [passed, notHere], EXIT.passed],
    ['one failed', [passed, failed], EXIT.failed],
    ['nothing was executed', [notHere], EXIT.nothingRan],
    ['there was nothing', [], EXIT.nothingRan],
  ])('when %s', (_, cases, status) => {
    expect(exitCodeOf(run(...cases))).toBe(status);
  });
});

it('the JUnit report counts and escapes', () => {
  const xml = junitXml(run(passed, failed, notHere));
  expect(xml).toContain('tests="3" failures="1" skipped="1"');
  expect(xml).toContain('name="breaks &#60;b&#62;"');
  expect(xml).toContain('<failure message="expected &#34;1&#34; &#38; got">');
  expect(xml).toContain('<skipped message="needs X"/>');
  expect(xml).not.toContain('\u0000');
});

it('the report for people has the verdict, the failures and what could not run', () => {
  const html = htmlReport(run(passed, failed, notHere));
  expect(html).toContain('End-to-end run: failed');
  expect(html).toContain("1 passed, 1 failed, 1 can't run here");
  expect(html).toContain('breaks &#60;b&#62;');
  expect(html).toContain('needs X (1)');
  expect(htmlReport(run(notHere))).toContain('End-to-end run: nothing ran');
});

it('secrets are hidden wherever they stand', () => {
  expect(masked('Bearer abc and abc', ['', 'abc'])).toBe('Bearer *** and ***');
});
