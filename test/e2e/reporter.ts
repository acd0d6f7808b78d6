import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';
import type { Slowdown } from '../support/deployment/pace.js';
import {
  type CaseResult,
  countOf,
  exitCodeOf,
  htmlReport,
  junitXml,
  masked,
  type RunResult,
  slowdownText,
} from './results.js';

const SHOWN_FAILURES = 50;

/** Shows progress, tells failures from cases that can't run against the deployment, and writes the reports. */
export default class DeploymentReporter implements Reporter {
  private readonly startedOn = new Date().toISOString();
  private readonly secrets = (process.env.E2E_SECRETS ?? '').split('\n');
  private finished = 0;

  onTestModuleEnd(module: TestModule): void {
    const cases = this.resultsOf(module);
    this.finished += cases.length;
    const count = (outcome: CaseResult['outcome']) => cases.filter((one) => one.outcome === outcome).length;
    console.log(
      `${String(this.finished).padStart(5)}  ${pathOf(module)}: ${count('passed')} passed, ${count('failed')} failed, ` +
        `${count('not-here')} can't run here`,
    );
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const cases = modules.flatMap((module) => this.resultsOf(module));
    for (const error of errors)
      cases.push({ file: 'run', name: 'the run itself', outcome: 'failed', seconds: 0, reason: this.textOf([error]) });
    const run: RunResult = {
      url: process.env.E2E_URL!,
      startedOn: this.startedOn,
      cases,
      slowdown: slowdownOf(modules),
    };
    if (process.env.E2E_JUNIT) writeFileSync(process.env.E2E_JUNIT, junitXml(run));
    if (process.env.E2E_HTML) writeFileSync(process.env.E2E_HTML, htmlReport(run));
    this.print(run);
    process.exitCode = exitCodeOf(run);
  }

  private print(run: RunResult): void {
    const failures = run.cases.filter(({ outcome }) => outcome === 'failed');
    for (const { file, name, reason } of failures.slice(0, SHOWN_FAILURES))
      console.log(`\nFAILED ${name}\n  ${file}\n  ${reason?.replaceAll('\n', '\n  ')}`);
    if (failures.length > SHOWN_FAILURES) console.log(`\nand ${failures.length - SHOWN_FAILURES} more failures`);
    const reasons = new Map<string, number>();
    for (const { outcome, reason = '' } of run.cases)
      if (outcome === 'not-here') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (reasons.size > 0) console.log("\nCan't run here:");
    for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a))
      console.log(`${String(count).padStart(5)}  ${reason}`);
    const slowed = slowdownText(run);
    if (slowed !== undefined) console.log(`\n${slowed}`);
    const [passed, failed] = [countOf(run, 'passed'), countOf(run, 'failed')];
    console.log(`\n${passed} passed, ${failed} failed, ${countOf(run, 'not-here')} can't run here`);
    if (passed + failed === 0) console.log('No case was executed: that is not a success.');
  }

  private resultsOf(module: TestModule): CaseResult[] {
    const cases = [...module.children.allTests()].map((test) => this.resultOf(test, module));
    if (cases.length > 0) return cases;
    const errors = module.errors();
    if (errors.length === 0) return [];
    return [{ file: pathOf(module), name: 'the file', ...this.judge(errors), seconds: 0 }];
  }

  private resultOf(test: TestCase, module: TestModule): CaseResult {
    const head = { file: pathOf(module), name: test.fullName, seconds: (test.diagnostic()?.duration ?? 0) / 1000 };
    const result = test.result();
    if (result.state === 'passed') return { ...head, outcome: 'passed' };
    const around = errorsAround(test);
    if (result.state === 'failed') return { ...head, ...this.judge([...result.errors, ...around]) };
    if (around.length > 0) return { ...head, ...this.judge(around) };
    return { ...head, outcome: 'failed', reason: `was not executed (${result.state})` };
  }

  private judge(errors: readonly SerializedError[]): Pick<CaseResult, 'outcome' | 'reason'> {
    const missing = errors.find(({ name }) => name === 'NotHere');
    return missing
      ? { outcome: 'not-here', reason: masked(missing.message, this.secrets) }
      : { outcome: 'failed', reason: this.textOf(errors) };
  }

  private textOf(errors: readonly SerializedError[]): string {
    const texts = errors.map(({ name, message, diff, stack }) => {
      const place = stack?.split('\n').find((line) => line.includes('.spec.ts'));
      return [`${name ?? 'Error'}: ${message}`, diff, place?.trim()].filter(Boolean).join('\n');
    });
    return masked(texts.join('\n'), this.secrets);
  }
}

const pathOf = (module: TestModule): string => relative(process.cwd(), module.moduleId);

/** What all cases together were slowed down by. */
function slowdownOf(modules: readonly TestModule[]): Slowdown {
  const total: Slowdown = { refused: 0, seconds: 0 };
  for (const module of modules)
    for (const test of module.children.allTests()) {
      const { slowdown } = test.meta();
      total.refused += slowdown?.refused ?? 0;
      total.seconds += slowdown?.seconds ?? 0;
    }
  return total;
}

/** Errors of the hooks of the groups and the file around a case. */
function errorsAround(test: TestCase): SerializedError[] {
  const errors: SerializedError[] = [];
  for (let at: TestSuite | TestModule = test.parent; ; at = at.parent) {
    errors.push(...at.errors());
    if (at.type === 'module') return errors;
  }
}
