import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed } from './bed.js';
import type { User } from './data.js';
import type { JobResult } from './load/job.js';
import { type Operation, operationNamed, OPERATIONS, type Population } from './load/operations.js';
import type { Client, Subject } from './subjects.js';

/** Rounds without a pause between requests; each is followed by one at 80 % of its throughput. */
export interface UnderLoad {
  most: JobResult[];
  atFourFifths: JobResult[];
}

/** How long and how often to measure. */
export interface Plan {
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  rounds: number;
}

/** One round of one server. */
export interface Round extends JobResult {
  /** The server's CPU time per request. */
  microsecondsOfProcessor: number;
}

/** The rounds of one operation by server; round n of one follows round n of the other. */
export interface Measured {
  operation: string;
  title: string;
  rounds: Record<string, Round[]>;
}

const SIZES: Record<Population, number> = {
  thousand: 1000,
  'ten-thousand': 10_000,
  writers: 1000,
  mixed: 1000,
  doomed: 0,
};
/** Connections share the users with large collections, which are only read. */
const MANY_LARGE = 4;
/** How many records a user of the deleting operation can delete per second of a round. */
const DOOMED_PER_SECOND = 400;
/** Time for the database to flush what was just written. */
const AFTER_SEEDING_MS = 500;

/** Each round begins with another server: what ran before may leave the machine slower or faster. */
const inTurn = <T>(all: readonly T[], round: number): T[] => all.map((_, at) => all[(at + round) % all.length]!);

let jobs = 0;

/** Measures operations on servers that share a database, alternating round by round. */
export class Throughput {
  private readonly populations = new Map<Population, User[]>();
  private doomed = 0;

  constructor(
    private readonly bed: Bed,
    private readonly client: Client,
    private readonly subjects: Subject[],
    private readonly plan: Plan,
  ) {}

  async measure(names: string[] = OPERATIONS.map(({ name }) => name)): Promise<Measured[]> {
    const results: Measured[] = [];
    for (const operation of OPERATIONS.filter(({ name }) => names.includes(name))) {
      const users = await this.population(operation.users);
      const rounds = Object.fromEntries(this.subjects.map(({ name }) => [name, [] as Round[]]));
      if (operation.name === 'batch')
        for (const subject of this.subjects) await requireWorkingBatch(subject, users[0]!);
      for (const subject of this.subjects) await this.round(operation, users, subject, this.plan.warmUpSeconds);
      for (let round = 0; round < this.plan.rounds; round++)
        for (const subject of inTurn(this.subjects, round))
          rounds[subject.name]!.push(await this.round(operation, users, subject, this.plan.seconds));
      results.push({ operation: operation.name, title: operation.title, rounds });
    }
    return results;
  }

  private async round(operation: Operation, users: User[], subject: Subject, seconds: number): Promise<Round> {
    const before = subject.processorTime();
    const result = await this.run(operation, users, subject, seconds);
    const used = subject.processorTime() - before;
    return { ...result, microsecondsOfProcessor: (used * 1000) / result.requests };
  }

  private async run(operation: Operation, users: User[], subject: Subject, seconds: number, ratePerSecond?: number) {
    const doomed = operation.users === 'doomed' ? await this.doom(users, seconds) : undefined;
    const facts = { operation: operation.name, users, connections: this.plan.connections, salt: `job-${++jobs}` };
    const size = SIZES[operation.users];
    const result = await this.client.run({ ...facts, port: subject.port, seconds, size, doomed, ratePerSecond });
    if (result.errors > 0) console.error(`${operation.name}, ${subject.name}: ${result.errors} x ${result.firstError}`);
    return result;
  }

  /**
   * The highest throughput of each server and, immediately afterwards because the machine's speed varies, its latencies
   * at 80 % of that.
   */
  async atFourFifths(
    name: string,
    subjects: Subject[],
    { rounds, seconds }: Pick<Plan, 'rounds' | 'seconds'>,
  ): Promise<Record<string, UnderLoad>> {
    const operation = operationNamed(name);
    const users = await this.population(operation.users);
    const results: Record<string, UnderLoad> = Object.fromEntries(
      subjects.map((subject) => [subject.name, { most: [], atFourFifths: [] }]),
    );
    for (const subject of subjects) await this.run(operation, users, subject, seconds);
    for (let round = 0; round < rounds; round++)
      for (const subject of inTurn(subjects, round)) {
        const { most, atFourFifths } = results[subject.name]!;
        const latest = await this.run(operation, users, subject, seconds);
        most.push(latest);
        atFourFifths.push(await this.run(operation, users, subject, seconds, latest.perSecond * 0.8));
      }
    return results;
  }

  /** Users with as many records as the operation needs. */
  async population(kind: Population): Promise<User[]> {
    const known = this.populations.get(kind);
    if (known) return known;
    const count = kind === 'ten-thousand' ? Math.min(MANY_LARGE, this.plan.connections) : this.plan.connections;
    const users = await this.bed.users(kind, count);
    this.populations.set(kind, users);
    if (SIZES[kind] > 0) for (const { account } of users) await this.bed.seeder.articles({ account, to: SIZES[kind] });
    await this.bed.seeder.settle();
    return users;
  }

  private async doom(users: User[], seconds: number): Promise<{ from: number; to: number }> {
    const from = this.doomed + 1;
    const to = (this.doomed += Math.ceil(seconds * DOOMED_PER_SECOND));
    for (const { account } of users) await this.bed.seeder.articles({ account, from, to });
    await sleep(AFTER_SEEDING_MS);
    return { from, to };
  }
}

/** The status of a batch does not tell whether its entries succeeded. */
async function requireWorkingBatch({ name, port }: Subject, { account, authorization }: User): Promise<void> {
  const body = { url: `https://example.com/${account}/first/${name}`, title: 'First', added_by: 'laptop' };
  const response = await fetch(`http://127.0.0.1:${port}/v2/batch`, {
    method: 'POST',
    headers: { authorization, 'x-account': account, 'content-type': 'application/json' },
    body: JSON.stringify({ requests: [{ method: 'POST', path: '/articles', body }] }),
  });
  const { responses } = (await response.json()) as { responses: { status: number }[] };
  if (responses[0]?.status !== 201) throw new Error(`${name}: a batch did not create its article`);
}
