import { anArticle } from './article.js';
import { type Answer, type Item, Poller, send } from './devices.js';

/** The devices of one user, who write through one URL and know what has to come of it, whichever version responds. */
export class Writer {
  /** The newest acknowledged state of each article, tombstones included. */
  readonly acknowledged = new Map<string, Item>();
  readonly failures: string[] = [];
  readonly polled: Poller;
  steps = 0;
  private stopped = false;
  private newest = 0;

  constructor(
    private readonly base: string,
    readonly user: string,
  ) {
    this.polled = new Poller([base], user, 7);
  }

  /** Goes on until it is stopped. */
  async run(): Promise<void> {
    while (!this.stopped) await this.step().catch((error: unknown) => this.failures.push(String(error)));
  }

  stop(): void {
    this.stopped = true;
  }

  /** Two devices save one URL at the same time; then one changes it, is refused a stale change, and now and then deletes it. */
  async step(): Promise<void> {
    this.steps++;
    const body = anArticle();
    const saved = await Promise.all([this.send('POST', '/articles', body), this.send('POST', '/articles', body)]);
    this.expectThat('one of two creates', saved.map(({ status }) => status).sort(), [200, 201]);
    this.expectThat('both get one article', saved[0].body.id, saved[1].body.id);
    const created = this.acknowledge(saved[0].body);
    const path = `/articles/${created.id}`;
    const changed = await this.send('PATCH', path, { title: `step ${this.steps}` }, created.last_modified);
    this.expectThat('a change', changed.status, 200);
    this.acknowledge(changed.body);
    const stale = await this.send('PATCH', path, { title: 'stale' }, created.last_modified);
    this.expectThat('a stale change', stale.status, 412);
    if (this.steps % 3 === 0) this.acknowledge((await this.send('DELETE', path)).body);
    await this.polled.poll();
  }

  private acknowledge(item: Item): Item {
    if (item.last_modified <= this.newest) this.failures.push(`${item.last_modified} is not later than ${this.newest}`);
    this.newest = item.last_modified;
    this.acknowledged.set(item.id, item);
    return item;
  }

  private async send(method: string, path: string, body?: unknown, unmodifiedSince?: number): Promise<Answer> {
    const headers: Record<string, string> =
      unmodifiedSince === undefined ? {} : { 'if-unmodified-since': String(unmodifiedSince) };
    const answer = await send(this.base, this.user, method, path, body, headers);
    if (answer.status >= 500) this.failures.push(`${method}: ${answer.status} / ${answer.body.errno}`);
    return answer;
  }

  private expectThat(what: string, seen: unknown, wanted: unknown): void {
    if (JSON.stringify(seen) !== JSON.stringify(wanted))
      this.failures.push(`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
  }
}
