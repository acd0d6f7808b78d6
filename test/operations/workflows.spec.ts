import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { Yaml } from './deployed-files.js';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);
const read = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');
const workflow = (file: string): Yaml => load(read(file)) as Yaml;

/** The jobs that may do more than read. */
const MAY: Record<string, Record<string, string>> = {
  'codeql.yml analyse': { 'security-events': 'write' },
  'scorecard.yml analyse': { 'security-events': 'write', 'id-token': 'write' },
  'release.yml image': { packages: 'write', 'id-token': 'write' },
  'release.yml npm': { 'id-token': 'write' },
  'release.yml page': { contents: 'write', 'id-token': 'write' },
};

describe.each(files)('the workflow %s', (file) => {
  const jobs = Object.entries(workflow(file).jobs as Record<string, Yaml>);
  const steps = jobs.flatMap(([, job]) => job.steps as Yaml[]);

  it('pins its actions to commits, and names their versions', () => {
    const uses = read(file).match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('reads, and writes only what a job needs', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    for (const [name, { permissions }] of jobs) {
      const more = MAY[`${file} ${name}`];
      expect(permissions, name).toEqual(more && { contents: 'read', ...more });
    }
  });

  it("is valid by GitHub's schema", async () => {
    const validator = 'test/tools/node_modules/@action-validator/cli/cli.mjs';
    await promisify(execFile)(process.execPath, [validator, `${FOLDER}/${file}`]);
  });

  it('leaves no credentials behind for later steps', () => {
    const checkouts = steps.filter(({ uses }) => String(uses).startsWith('actions/checkout@'));
    expect(checkouts).toHaveLength(jobs.length);
    for (const step of checkouts) expect(step.with['persist-credentials']).toBe(false);
  });

  it('runs nothing that others may write in a pull request', () => {
    expect(Object.keys(workflow(file).on as Yaml)).not.toContain('pull_request_target');
    for (const { run } of steps) expect(String(run)).not.toContain('${{');
  });
});

it('an action has the same commit in all workflows', () => {
  const commits = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, action, commit] of read(file).matchAll(/uses: ([\w-]+\/[\w-]+)\S*@(\w+)/g))
      commits.set(action!, (commits.get(action!) ?? new Set()).add(commit!));
  for (const [action, seen] of commits) expect([action, seen.size]).toEqual([action, 1]);
});

describe('a release', () => {
  const { image, npm, page } = workflow('release.yml').jobs as Record<string, Yaml>;
  const stepOf = (job: Yaml, words: string): Yaml =>
    (job.steps as Yaml[]).find(({ uses, run }) => `${uses} ${run}`.includes(words))!;

  it('has an image for two architectures with bill of materials and provenance, signed by its digest', () => {
    const build = stepOf(image!, 'docker/build-push-action');
    expect(build.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', sbom: true, provenance: 'mode=max' });
    const sign = stepOf(image!, 'cosign sign');
    expect(sign.run).toContain('@$DIGEST');
    expect(sign.env.DIGEST).toBe(`\${{ steps.${build.id}.outputs.digest }}`);
  });

  it('publishes the library with provenance, by a trusted workflow instead of a token', () => {
    expect(stepOf(npm!, 'npm publish').run).toContain('--provenance');
    expect(read('release.yml')).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  it('signs the checksums of its files', () => {
    expect(stepOf(page!, 'cosign sign-blob').run).toContain('release/SHA256SUMS');
  });
});

it('Renovate keeps back what dependencies.md says, and nothing that is installed', () => {
  const { packageRules } = JSON.parse(readFileSync('renovate.json', 'utf8')) as { packageRules: Yaml[] };
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Yaml;
  const [, node] = /^FROM node:([\d.]+)/m.exec(readFileSync('Dockerfile', 'utf8'))!;
  const installed: Yaml = { ...dependencies, ...devDependencies, node };
  const limited = packageRules.filter(({ allowedVersions }) => allowedVersions);
  expect(limited.length).toBeGreaterThan(3);
  for (const { matchPackageNames, allowedVersions } of limited) {
    const version = installed[matchPackageNames[0]] as string;
    const [, limit] = /^<([\d.]+)$/.exec(String(allowedVersions))!;
    expect(version.localeCompare(limit!, undefined, { numeric: true })).toBeLessThan(0);
  }
});
