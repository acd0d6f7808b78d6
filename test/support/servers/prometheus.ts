import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './command.js';
import { findFreePort } from './free-port.js';
import { ensureDebianPackages } from './packages.js';
import { startServer } from './process.js';
import { type RunningServer } from './running-server.js';
import { createScratchFolder } from './scratch-folder.js';

/** A Prometheus on 127.0.0.1 that scrapes its targets and evaluates its rules every second. */
export interface Prometheus extends RunningServer {
  /** The names of the firing alerts. */
  firing(): Promise<Set<string>>;
  /** The expressions of rules that could not be evaluated, with the reason. */
  brokenRules(): Promise<string[]>;
  /** Starts scraping these targets (`host:port`). */
  scrape(targets: string[]): void;
}

/** Starts a Prometheus, installing it if missing. @param rules a rules file as text */
export async function startPrometheus(targets: string[], rules: string): Promise<Prometheus> {
  await ensureDebianPackages({ prometheus: 'prometheus' });
  const [folder, port] = [createScratchFolder(), await findFreePort()];
  const scrape = (hosts: string[]) =>
    writeFileSync(join(folder.path, 'targets.json'), JSON.stringify([{ targets: hosts }]));
  scrape(targets);
  writeFileSync(join(folder.path, 'rules.yaml'), rules);
  writeFileSync(join(folder.path, 'prometheus.yml'), CONFIG);
  const url = `http://127.0.0.1:${port}`;
  const process = await startServer({
    command: findProgram('prometheus') ?? 'prometheus',
    args: [
      `--config.file=${join(folder.path, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder.path, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    folder,
    ready: async () => {
      if (!(await fetch(`${url}/-/ready`)).ok) throw new Error('not ready');
    },
  });
  const ask = async (path: string) => ((await (await fetch(url + path)).json()) as { data: unknown }).data;
  return Object.assign(process, {
    scrape,
    firing: async () => {
      const { alerts } = (await ask('/api/v1/alerts')) as {
        alerts: { state: string; labels: { alertname: string } }[];
      };
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    brokenRules: async () => {
      const { groups } = (await ask('/api/v1/rules')) as {
        groups: { rules: { query: string; lastError?: string }[] }[];
      };
      return groups.flatMap(({ rules: all }) =>
        all.flatMap(({ query, lastError }) => (lastError ? `${query}: ${lastError}` : [])),
      );
    },
  });
}

/** A job name that no rule knows. */
const CONFIG = `global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: [rules.yaml]
scrape_configs:
  - job_name: some-job
    file_sd_configs:
      - files: [targets.json]
        refresh_interval: 1s
`;
