/** A record as a device keeps it. */
export type Item = { id: string; last_modified: number; deleted?: boolean } & Record<string, unknown>;

/** What a device got for a request. */
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
      authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/**
 * A device that follows `Last-Modified`: it polls from the timestamp of the first page of its last walk and applies what it
 * gets, and forgets everything and begins again when it is told to start over. `bases` are asked in turn.
 */
export class Poller {
  readonly items = new Map<string, Item>();
  /** How often it was told to start over. */
  startedOver = 0;
  private turn = 0;

  /** @param since where it begins; by default it knows nothing */
  constructor(
    private readonly bases: string[],
    private readonly user: string,
    private readonly pageSize = 7,
    private since = 0,
  ) {}

  /** One walk through all pages of what changed. */
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
    if (answer.status !== 200) throw new Error(`poll answered ${answer.status}`);
    return answer;
  }
}

/** Everything the server has, tombstones included, read while nobody writes. */
export async function fullState(base: string, user: string): Promise<Map<string, Item>> {
  const poller = new Poller([base], user, 100);
  await poller.poll();
  return poller.items;
}
