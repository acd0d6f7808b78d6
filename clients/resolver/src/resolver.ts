import type { Article } from '@reading-list/client';
import { Attempts } from './attempts.js';
import { Downloader, type DownloaderOptions } from './downloader.js';
import { readApart } from './read-apart.js';
import { Service } from './service.js';

const PAGES_AT_ONCE = 4;
/** One is kept for what a person saves now. */
const OLD_PAGES_AT_ONCE = 3;
/** Of all lists, each of which has an equal share. What does not fit is found by the next listing. */
const MAX_WAITING = 10_000;
const RETRY_MS = 200;

export interface ResolverOptions extends DownloaderOptions {
  url: string;
  /** The `Authorization` header of each list. */
  authorizations: readonly (() => Promise<string>)[];
  log?: (message: string) => void;
}

/** A list, and how many of its articles wait and are being read. */
interface List {
  service: Service;
  waiting: number;
  running: number;
}

interface Task {
  list: List;
  article: Article;
  isNew: boolean;
}

/** An unattended device: finds out what is behind the URLs of articles of which nothing else is known. */
export class Resolver {
  readonly #options: ResolverOptions;
  readonly #downloader: Downloader;
  readonly #attempts = new Attempts();
  readonly #stopping = new AbortController();
  readonly #waiting = new Map<string, Task>();
  readonly #running = new Map<string, Promise<void>>();
  #oldPages = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ResolverOptions) {
    this.#options = options;
    this.#downloader = new Downloader(options);
  }

  /** Watches the lists until `stop` is called. */
  async run(): Promise<void> {
    const { url, authorizations } = this.#options;
    await Promise.all(
      authorizations.map((authorization, at) => {
        // Only where there are several: who has one knows which it is.
        const name = authorizations.length > 1 ? `list ${at + 1}: ` : '';
        const service = new Service({ url, authorization, log: (message) => this.#log(name + message) });
        return this.#watch({ service, waiting: 0, running: 0 }, MAX_WAITING / authorizations.length);
      }),
    );
  }

  /** Resolves when nothing is in progress any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#running.values());
  }

  readonly #log = (message: string): void => this.#options.log?.(message);

  async #watch(list: List, maxWaiting: number): Promise<void> {
    for await (const { article, isNew } of list.service.bareArticles(this.#stopping.signal)) {
      const { id } = article;
      if (list.waiting >= maxWaiting || this.#running.has(id) || !this.#attempts.isDue(id)) continue;
      const earlier = this.#waiting.get(id);
      if (!earlier) list.waiting++;
      this.#waiting.set(id, { list, article, isNew: isNew || earlier?.isNew === true });
      this.#startTasks();
    }
  }

  #startTasks(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    for (let task = this.#next(); task; task = this.#next()) this.#start(task);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#startTasks(), RETRY_MS);
  }

  /**
   * The next article whose host may be asked, of the list with the fewest pages being read, so that none waits for the slow
   * pages of another; new ones first.
   */
  #next(): Task | undefined {
    if (this.#running.size >= PAGES_AT_ONCE) return undefined;
    const mayBeOld = this.#oldPages < OLD_PAGES_AT_ONCE;
    let next: Task | undefined;
    for (const task of this.#waiting.values())
      if ((task.isNew || mayBeOld) && (!next || isBefore(task, next)))
        if (this.#downloader.turns.isFree(hostOf(task.article))) next = task;
    return next;
  }

  #start(task: Task): void {
    const { list, article } = task;
    const { id } = article;
    this.#waiting.delete(id);
    this.#attempts.note(id);
    list.waiting--;
    list.running++;
    if (!task.isNew) this.#oldPages++;
    const done = this.#resolve(task)
      .catch((error: Error) => this.#log(`${hostOf(article)}: ${error.message}`))
      .finally(() => {
        this.#running.delete(id);
        list.running--;
        if (!task.isNew) this.#oldPages--;
        this.#startTasks();
      });
    this.#running.set(id, done);
  }

  async #resolve({ list, article }: Task): Promise<void> {
    const { signal } = this.#stopping;
    const facts = await readApart(await this.#downloader.get(article.url, signal));
    await list.service.complete(article, facts, signal);
  }
}

const isBefore = (one: Task, other: Task): boolean =>
  one.list.running < other.list.running || (one.list.running === other.list.running && one.isNew && !other.isNew);

const hostOf = ({ url }: Article): string => (URL.canParse(url) ? new URL(url).hostname : url);
