import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { type Client, clientWith } from '../support/client.js';

interface Item {
  id: string;
  last_modified: number;
  deleted?: true;
  url?: string;
  read_position?: number;
}

interface Entry {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

const ROUNDS = 20;
const OWN_PER_ROUND = 25;
const BATCH = 25;
const PAGE = 40;

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A device that works offline on what it knows and synchronises from time to time. */
class Device {
  readonly statuses = new Map<number, number>();
  private readonly known = new Map<string, Item>();
  private queue: Entry[] = [];
  private since = 0;

  constructor(
    private readonly api: Client,
    private readonly name: string,
    private readonly random: (below: number) => number,
  ) {}

  /** The articles it shows, by id. */
  get articles(): Item[] {
    return [...this.known.values()].filter(({ deleted }) => !deleted).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  add(url: string): void {
    this.queue.push({
      method: 'POST',
      path: '/articles',
      body: { url, title: `from ${this.name}`, added_by: this.name },
    });
  }

  remove(url: string): void {
    const article = this.articles.find((candidate) => candidate.url === url);
    if (article) this.queue.push({ method: 'DELETE', path: `/articles/${article.id}` });
  }

  /** Reads, archives, renames, or deletes a few of the articles it knows. */
  browse(): void {
    const articles = this.articles;
    for (let at = 0; at < 12 && articles.length > 0; at++) {
      const { id } = articles[this.random(articles.length)]!;
      const path = `/articles/${id}`;
      const patch = (body: Record<string, unknown>) => this.queue.push({ method: 'PATCH', path, body });
      const choice = this.random(6);
      if (choice === 0) patch({ unread: false, marked_read_by: this.name, marked_read_on: this.random(1e9) });
      else if (choice === 1) patch({ unread: true });
      else if (choice === 2) patch({ read_position: this.random(100) });
      else if (choice === 3) patch({ title: `${this.name} ${this.random(1e6)}`, favorite: this.random(2) === 1 });
      else if (choice === 4) patch({ archived: true, resolved_url: `https://example.com/resolved/${this.random(30)}` });
      else this.queue.push({ method: 'DELETE', path });
    }
  }

  async synchronise(): Promise<void> {
    do await this.push();
    while (this.queue.length > 0);
    await this.pull();
  }

  private async push(): Promise<void> {
    const queue = this.queue;
    this.queue = [];
    for (let start = 0; start < queue.length; start += BATCH) {
      const requests = queue.slice(start, start + BATCH);
      const { body } = await this.api.post('/batch').send({ requests }).expect(200);
      expect(body.responses).toHaveLength(requests.length);
      for (const [at, { status }] of (body.responses as { status: number }[]).entries())
        // A service without time for all entries wants the others again.
        if (status === 503) this.queue.push(requests[at]!);
        else this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
  }

  private async pull(): Promise<void> {
    let path = `/articles?_since=${this.since}&_limit=${PAGE}`;
    let timestamp: number | undefined;
    for (;;) {
      const { body, headers } = await this.api.get(path).expect(200);
      timestamp ??= Number(headers['last-modified']);
      for (const item of body.items as Item[]) this.apply(item);
      if (headers['next-page'] === undefined) break;
      path = `/articles${new URL(headers['next-page']).search}`;
    }
    this.since = timestamp;
  }

  private apply(item: Item): void {
    const known = this.known.get(item.id);
    if (known === undefined || known.last_modified <= item.last_modified) this.known.set(item.id, item);
  }
}

let app: TestAppWithProvider;
beforeAll(async () => {
  app = await startAppWithProvider();
});
afterAll(() => app?.close());

async function everything(api: Client): Promise<Item[]> {
  const items: Item[] = [];
  for (let path = '/articles?_sort=id'; ;) {
    const { body, headers } = await api.get(path).expect(200);
    items.push(...(body.items as Item[]));
    if (headers['next-page'] === undefined) return items;
    path = `/articles${new URL(headers['next-page']).search}`;
  }
}

it('two devices of one user that work offline end with the list of the server', { timeout: 90_000 }, async () => {
  const api = clientWith(app.url, `Bearer ${await app.issue('alice')}`);
  const devices = [new Device(api, 'phone', seeded(1)), new Device(api, 'laptop', seeded(2))];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, device] of devices.entries()) {
      for (let count = 0; count < OWN_PER_ROUND; count++) device.add(`https://example.com/${round}/${at}/${count}`);
      for (let count = 0; count < 5; count++) device.add(`https://example.com/shared/${round}/${count}`);
      // By both, so that one of them comes too late.
      device.remove(`https://example.com/shared/${round - 1}/0`);
      device.browse();
    }
    await Promise.all(devices.map((device) => device.synchronise()));
  }
  await Promise.all(devices.map((device) => device.synchronise()));

  const statuses = new Set(devices.flatMap((device) => [...device.statuses.keys()]));
  expect([...statuses].sort()).toEqual([200, 201, 404, 409]);
  const server = await everything(api);
  for (const device of devices) expect(device.articles).toEqual(server);
  const total = Number((await api.head('/articles?_since=0').expect(200)).headers['total-records']);
  expect(total).toBeGreaterThanOrEqual(ROUNDS * (2 * OWN_PER_ROUND + 5));
  expect(server.length).toBeLessThan(total);
});
