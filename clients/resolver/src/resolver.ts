import type { Article } from '@reading-list/client';
import { Attempts } from './attempts.js';
import { Downloader, type DownloaderOptions } from './downloader.js';
import { readInWorker } from './read-in-worker.js';
import { Service } from './service.js';

const PAGES_AT_ONCE = 4;
/** One is kept for what a person saves now. */
const OLD_PAGES_AT_ONCE = 3;
/** What does not fit is found by the next listing. */
const MAX_WAITING = 10_000;
const RETRY_MS = 200;

export interface ResolverOptions extends DownloaderOptions {
  url: string;
  /** The `Authorization` header of each list. */
  authorizations: readonly (() => Promise<string>)[];
  log?: (message: string) => void;
}

interface Task {
  service: Service;
  article: Article;
  isNew: boolean;
}

/** A device without a person: finds out what is behind the URLs of articles of which nothing else is known. */
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
      authorizations.map((authorization) => this.#watch(new Service({ url, authorization, log: this.#log }))),
    );
  }

  /** Resolves when nothing is in progress any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#running.values());
  }

  readonly #log = (message: string): void => this.#options.log?.(message);

  async #watch(service: Service): Promise<void> {
    for await (const { article, isNew } of service.bareArticles(this.#stopping.signal)) {
      const { id } = article;
      if (this.#waiting.size >= MAX_WAITING || this.#running.has(id) || !this.#attempts.isDue(id)) continue;
      this.#waiting.set(id, { service, article, isNew: isNew || this.#waiting.get(id)?.isNew === true });
      this.#startTasks();
    }
  }

  #startTasks(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    for (let task = this.#next(); task; task = this.#next()) this.#start(task);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#startTasks(), RETRY_MS);
  }

  /** The next article whose host may be asked, new ones first. */
  #next(): Task | undefined {
    if (this.#running.size >= PAGES_AT_ONCE) return undefined;
    let old: Task | undefined;
    for (const task of this.#waiting.values()) {
      if (!this.#downloader.turns.isFree(hostOf(task.article))) continue;
      if (task.isNew) return task;
      old ??= task;
    }
    return this.#oldPages < OLD_PAGES_AT_ONCE ? old : undefined;
  }

  #start(task: Task): void {
    const { id } = task.article;
    this.#waiting.delete(id);
    this.#attempts.note(id);
    if (!task.isNew) this.#oldPages++;
    const done = this.#resolve(task)
      .catch((error: Error) => this.#log(`${hostOf(task.article)}: ${error.message}`))
      .finally(() => {
        this.#running.delete(id);
        if (!task.isNew) this.#oldPages--;
        this.#startTasks();
      });
    this.#running.set(id, done);
  }

  async #resolve({ service, article }: Task): Promise<void> {
    const { signal } = this.#stopping;
    const facts = await readInWorker(await this.#downloader.get(article.url, signal));
    await service.complete(article, facts, signal);
  }
}

const hostOf = ({ url }: Article): string => (URL.canParse(url) ? new URL(url).hostname : url);
