import { basicAuthorization } from './client.js';

/** A record as stored by a device. */
export type Item = { id: string; last_modified: number; deleted?: boolean } & Record<string, unknown>;

/** The response to a device. */
export interface Answer {
  status: number;
  body: Item & { items: Item[]; errno?: number };
  headers: Headers;
}

/** Sends one request below `/v2`; network failures reject. */
export async function send(
  base: string,
  user: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${base}/v2${path}`, {
    method,
    headers: {
      authorization: basicAuthorization(user),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/**
 * A device that follows `Last-Modified`: it polls from the timestamp of the first page of its last listing, applies the
 * changes, and starts from scratch when told to start over. Uses `bases` in turn.
 */
export class Poller {
  readonly items = new Map<string, Item>();
  /** How often it was told to start over. */
  startedOver = 0;
  private turn = 0;

  /** @param since where to start; by default from scratch */
  constructor(
    private readonly bases: string[],
    private readonly user: string,
    private readonly pageSize = 7,
    private since = 0,
  ) {}

  /** Lists all pages of changes once. */
  async poll(): Promise<void> {
    const first = await this.page(`/articles?_since=${this.since}&_limit=${this.pageSize}`);
    let page = first;
    for (;;) {
      if (page.headers.get('start-over') === 'true') return this.startOver();
      for (const item of page.body.items) this.apply(item);
      const next = page.headers.get('next-page');
      if (next === null) break;
      page = await this.page(`/articles${new URL(next).search}`);
    }
    this.since = Number(first.headers.get('last-modified'));
  }

  private startOver(): Promise<void> {
    this.startedOver++;
    this.items.clear();
    this.since = 0;
    return this.poll();
  }

  private apply(item: Item): void {
    const known = this.items.get(item.id);
    if (!known || known.last_modified <= item.last_modified) this.items.set(item.id, item);
  }

  private async page(path: string): Promise<Answer> {
    const base = this.bases[this.turn++ % this.bases.length]!;
    const answer = await send(base, this.user, 'GET', path);
    if (answer.status !== 200) throw new Error(`poll: status ${answer.status}`);
    return answer;
  }
}

/** Everything on the server, including tombstones; call it while nobody writes. */
export async function fullState(base: string, user: string): Promise<Map<string, Item>> {
  const poller = new Poller([base], user, 100);
  await poller.poll();
  return poller.items;
}
