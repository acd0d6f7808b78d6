import type { Bed } from './bed.js';
import type { User } from './data.js';
import { median } from './figures.js';
import { operationNamed } from './load/operations.js';
import { type Client, startBuiltService, type Subject } from './subjects.js';

/** Median latencies in milliseconds by operation, one per size. */
export interface Growth {
  sizes: number[];
  milliseconds: Record<string, number[]>;
}

export interface GrowthPlan {
  rounds: number;
  seconds: number;
}

const OPERATIONS = ['poll', 'list', 'since', 'count', 'read', 'patch', 'create'];

interface Case {
  size: number;
  service: Subject;
  user: User;
}

/** Measures a single device, for users with ever more articles. */
export async function growthOfCollection(bed: Bed, client: Client, sizes: number[], plan: GrowthPlan): Promise<Growth> {
  const users = await bed.users('growing', sizes.length);
  for (const [at, size] of sizes.entries())
    await bed.seeder.articles({ account: users[at]!.account, to: size, tombstones: Math.ceil(size / 10) });
  await bed.seeder.settle();
  // The largest collection is as large as is allowed by default.
  const service = await startBuiltService({ ...bed, variables: { MAX_ARTICLES_PER_USER: '0' } });
  try {
    const cases = sizes.map((size, at) => ({ size, service, user: users[at]! }));
    const milliseconds = await latencies(client, cases, plan);
    // With tombstones, like a device that was away for a long time.
    milliseconds['page of a walk by `_since`'] = await pagesOfWalks(cases, plan);
    return { sizes, milliseconds };
  } finally {
    await service.stop();
  }
}

/**
 * The time per page when listing a whole collection, including total and token: the median over listings, alternating
 * between cases.
 */
async function pagesOfWalks(cases: Case[], { rounds }: GrowthPlan): Promise<number[]> {
  const means = cases.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++)
    for (const [at, { service, user }] of cases.entries()) means[at]!.push(await pageOfWalk(service, user));
  return means.map(median);
}

async function pageOfWalk({ port }: Subject, { authorization }: User): Promise<number> {
  const start = performance.now();
  let pages = 0;
  for (let next: string | null = '/v2/articles?_since=1&_limit=100'; next !== null; pages++) {
    const answer: Response = await fetch(`http://127.0.0.1:${port}${next}`, { headers: { authorization } });
    if (answer.status !== 200) throw new Error(`a page of a listing had the status ${answer.status}`);
    await answer.arrayBuffer();
    const following = answer.headers.get('next-page');
    const url = following === null ? undefined : new URL(following);
    next = url ? url.pathname + url.search : null;
  }
  return (performance.now() - start) / pages;
}

const ARTICLES_OF_OTHERS = 20;
const ARTICLES_OF_USER = 1000;

/** Measures a single device among ever more users with 20 articles each; each number of users has its own database. */
export async function growthOfUsers(bed: Bed, client: Client, sizes: number[], plan: GrowthPlan): Promise<Growth> {
  const [user] = (await bed.users('one-of-many', 1)) as [User];
  const cases: (Case & { users: number })[] = [];
  try {
    for (const users of sizes) {
      const { databaseUrl, seeder } = await bed.another(`users_${users}`);
      if (users > 1) await seeder.strangers(users - 1, ARTICLES_OF_OTHERS);
      await seeder.articles({ account: user.account, to: ARTICLES_OF_USER });
      await seeder.settle();
      const service = await startBuiltService({ ...bed, databaseUrl });
      cases.push({ size: ARTICLES_OF_USER, service, user, users });
    }
    return { sizes, milliseconds: await latencies(client, cases, plan) };
  } finally {
    for (const { service } of cases) await service.stop();
  }
}

/** The median over rounds of the median latency, alternating between cases. */
async function latencies(client: Client, cases: Case[], { rounds, seconds }: GrowthPlan) {
  const milliseconds: Record<string, number[]> = {};
  for (const operation of OPERATIONS) {
    const medians = cases.map(() => [] as number[]);
    for (let round = 0; round <= rounds; round++)
      for (const [at, { size, service, user }] of cases.entries()) {
        const salt = `growth-${operation}-${round}-${at}`;
        const job = { port: service.port, operation, users: [user], connections: 1, seconds, salt, size };
        const { p50, errors } = await client.run(job);
        if (errors > 0) throw new Error(`${operationNamed(operation).title}: ${errors} errors`);
        if (round > 0) medians[at]!.push(p50);
      }
    milliseconds[operation] = medians.map(median);
  }
  return milliseconds;
}
