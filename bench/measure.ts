import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { type Bed, type DatabaseKind, makeBed } from './bed.js';
import { type Comparison, compare } from './figures.js';
import { type Growth, growthOfCollection, growthOfUsers, type GrowthPlan } from './growth.js';
import { statementsPerOperation } from './statements.js';
import { type Client, keepApart, startBuiltService, startClient, startLimitServer, type Subject } from './subjects.js';
import { type Measured, type Plan as ThroughputPlan, Throughput, type UnderLoad } from './throughput.js';

/** What to measure on a database, and for how long. */
export interface Plan {
  throughput: ThroughputPlan;
  growth: GrowthPlan;
  /** Articles of one user. */
  articles: number[];
  users: number[];
  load: LoadPlan;
}

/** How often, and for how long each time, to measure at 80 % of the highest load, by name of operation. */
export interface LoadPlan {
  rounds: number;
  seconds: Record<string, number>;
}

export interface Choices {
  build: string;
  against: string[];
  operation?: string[];
  /** Only the latencies at 80 % of the highest load. */
  load: boolean;
  /** Only how latencies grow. */
  growth: boolean;
  profile?: string;
}

/** Figures of a server as a whole. */
export interface ProcessFacts {
  name: string;
  startMilliseconds: number;
  idleMebibytes: number;
  loadedMebibytes: number;
  /** Statements by operation; only on MariaDB, which counts them. */
  statements?: Record<string, number>;
}

/** The results for one database; the members after `facts` are missing if only some operations were selected. */
export interface Results {
  database: DatabaseKind;
  comparisons: Comparison[];
  /** Other builds by name. */
  others: Record<string, Comparison[]>;
  facts: ProcessFacts[];
  /** By operation, then by server. */
  load?: Record<string, Record<string, UnderLoad>>;
  articles?: Growth;
  users?: Growth;
  measured: Measured[];
}

/** Starts a throw-away database, measures, and tears everything down. */
export async function measureDatabase(kind: DatabaseKind, plan: Plan, choices: Choices): Promise<Results> {
  const bed = await makeBed(kind);
  const client = startClient();
  try {
    const nothing = { database: kind, comparisons: [], others: {}, facts: [], measured: [] };
    const together = choices.growth ? nothing : await measureTogether(bed, client, plan, choices);
    if (choices.operation || choices.load) return together;
    return {
      ...together,
      articles: await growthOfCollection(bed, client, plan.articles, plan.growth),
      users: await growthOfUsers(bed, client, plan.users, plan.growth),
    };
  } finally {
    client.stop();
    await bed.close();
  }
}

async function measureTogether(bed: Bed, client: Client, plan: Plan, choices: Choices): Promise<Results> {
  const subjects: Subject[] = [];
  try {
    for (const subject of starters(bed, choices)) subjects.push(await subject());
    if (bed.kind === 'sqlite' && cpus().length > 1) keepApart(client, subjects);
    const idle = subjects.map((subject) => subject.residentMebibytes());
    const throughput = new Throughput(bed, client, subjects, plan.throughput);
    const measured = choices.load ? [] : await throughput.measure(choices.operation);
    const load =
      choices.load || !choices.operation
        ? await underLoad(throughput, subjects, plan.load, choices.operation)
        : undefined;
    const facts: ProcessFacts[] = subjects.map((subject, at) => ({
      name: subject.name,
      startMilliseconds: subject.startMilliseconds,
      idleMebibytes: idle[at]!,
      loadedMebibytes: subject.residentMebibytes(),
    }));
    if (bed.kind === 'mariadb' && !choices.load) {
      const users = await throughput.population('writers');
      for (const [at, subject] of subjects.entries())
        facts[at]!.statements = await statementsPerOperation(bed.databaseUrl, client, subject, users);
    }
    const others = Object.fromEntries(subjects.slice(2).map(({ name }) => [name, compare(measured, name)]));
    return { database: bed.kind, comparisons: compare(measured), others, facts, load, measured };
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}

async function underLoad(throughput: Throughput, subjects: Subject[], { rounds, seconds }: LoadPlan, names?: string[]) {
  const results: NonNullable<Results['load']> = {};
  for (const [operation, each] of Object.entries(seconds).filter(([name]) => !names || names.includes(name)))
    results[operation] = await throughput.atFourFifths(operation, subjects, { rounds, seconds: each });
  return results;
}

/** How to start the limit server, the service, and other builds to compare. */
function starters(bed: Bed, { build, against, profile }: Choices): (() => Promise<Subject>)[] {
  const nodeFlags = profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : [];
  return [
    () => startLimitServer(bed.databaseUrl),
    () => startBuiltService({ ...bed, build, nodeFlags }),
    ...against.map((other) => {
      const [[name, folder] = [], ...settings] = other.split(',').map((pair) => pair.split('='));
      const variables = Object.fromEntries(settings) as Record<string, string>;
      return () => startBuiltService({ ...bed, name, build: folder, variables });
    }),
  ];
}
