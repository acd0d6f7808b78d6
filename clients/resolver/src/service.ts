import { setTimeout as sleep } from 'node:timers/promises';
import { type Article, type Client, createClient, type Notice, ReadingListError } from '@reading-list/client';
import { isBare, missingFields, type PageFacts } from '@reading-list/page-reader/node';

const WAIT_SECONDS = 50;
const POLL_TIMEOUT_MS = 80_000;
/** A poll that ends earlier was not held. */
const LEAST_WAIT_MS = 500;
/** How often to poll a service that does not hold polls. */
const POLL_INTERVAL_MS = 30_000;
const SCAN_INTERVAL_MS = 3_600_000;
const MAX_DELAY_MS = 300_000;
const MAX_ATTEMPTS = 5;
const BARE = { is_article: true, excerpt: '', word_count: '', _sort: '-last_modified' };

export interface ServiceOptions {
  url: string;
  /** The value of the `Authorization` header. */
  authorization: () => Promise<string>;
  log: (message: string) => void;
}

/** One user's list on the service. Nothing is sent during the times of `Backoff` and `Retry-After`. */
export class Service {
  readonly #client: Client;
  readonly #log: (message: string) => void;
  #notBefore = 0;

  constructor({ url, authorization, log }: ServiceOptions) {
    this.#log = log;
    const onResponse = (notice: Notice) => this.#heed(notice);
    this.#client = createClient({ baseUrl: url, authorization, onResponse });
  }

  /** Articles of which nothing is known but the URL: those that there are, newest first, and those that are saved from then on. */
  async *bareArticles(signal: AbortSignal): AsyncGenerator<{ article: Article; isNew: boolean }, void, undefined> {
    for (let failures = 0; !signal.aborted;) {
      try {
        for await (const found of this.#watch(signal)) {
          failures = 0;
          yield found;
        }
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ReadingListError)) throw error;
        this.#log(reasonOf(error));
        if (error.kind === 'gone') return;
        await pause(error.kind === 'auth' ? MAX_DELAY_MS : Math.min(MAX_DELAY_MS, 1_000 * 2 ** failures++), signal);
      }
    }
  }

  /** Adds to the article what the page says, unless something was set meanwhile. */
  async complete(article: Article, facts: PageFacts, signal: AbortSignal): Promise<void> {
    let current = article;
    for (let attempt = 1; ; attempt++) {
      await this.#ready(signal);
      try {
        const fields = missingFields(current, facts);
        if (Object.keys(fields).length === 0) return;
        await this.#client.patch(current.id, fields, { ifUnmodifiedSince: current.last_modified, signal });
        return;
      } catch (error) {
        if (!(error instanceof ReadingListError) || attempt === MAX_ATTEMPTS) throw error;
        if (error.status === 404) return;
        // Another article has this URL, or it is longer than the service takes.
        if (error.status === 409 || (error.field === 'resolved_url' && facts.resolved_url !== current.url))
          facts = { ...facts, resolved_url: current.url };
        else if (error.status === 412) {
          const latest = await this.#client.read(current.id, { signal }).catch(() => undefined);
          if (!latest) return;
          current = latest;
        } else if (error.kind === 'busy' || error.kind === 'network') await pause(1_000 * 2 ** attempt, signal);
        else throw error;
      }
    }
  }

  /** Ends when it is time to list all again: after an hour, or because changes are missing. */
  async *#watch(signal: AbortSignal): AsyncGenerator<{ article: Article; isNew: boolean }, void, undefined> {
    const end = performance.now() + SCAN_INTERVAL_MS;
    let since: number | undefined;
    for await (const { items, lastModified } of this.#pages(BARE, signal)) {
      since ??= lastModified;
      for (const article of articlesIn(items)) if (isBare(article)) yield { article, isNew: false };
    }
    while (performance.now() < end && !signal.aborted) {
      const polled: number | undefined = since;
      const begun = performance.now();
      let wasHeld = false;
      for await (const page of this.#pages({ _since: since ?? 0 }, signal, polled)) {
        if (page.startOver || (page.lastModified ?? 0) < (polled ?? 0)) return;
        // Of the first page: a later one would skip what changes during the walk.
        if (since === polled) since = page.lastModified;
        for (const article of articlesIn(page.items)) if (isBare(article)) yield { article, isNew: true };
        wasHeld ||= page.grantedWaitSeconds !== undefined;
      }
      // Something on the way may drop the condition, or a token that is about to expire permit no wait.
      const isUseless = !wasHeld || performance.now() - begun < LEAST_WAIT_MS;
      if (since === polled && isUseless) await pause(POLL_INTERVAL_MS, signal);
    }
  }

  /** The pages of a listing; given a timestamp, the service waits for something newer. */
  async *#pages(query: Parameters<Client['page']>[0], signal: AbortSignal, ifModifiedSince?: number) {
    const waiting = ifModifiedSince === undefined ? {} : { ifModifiedSince, waitSeconds: WAIT_SECONDS };
    for (let next: typeof query | undefined = query; next !== undefined;) {
      await this.#ready(signal);
      const options = next === query ? waiting : {};
      const page = await this.#client.page(next, { ...options, timeoutMs: POLL_TIMEOUT_MS, signal });
      yield page;
      next = page.next;
    }
  }

  #heed({ backoffSeconds = 0, retryAfterSeconds = 0 }: Notice): void {
    const seconds = Math.max(backoffSeconds, retryAfterSeconds);
    this.#notBefore = Math.max(this.#notBefore, performance.now() + 1_000 * seconds);
  }

  async #ready(signal: AbortSignal): Promise<void> {
    while (performance.now() < this.#notBefore) await pause(this.#notBefore - performance.now(), signal);
    signal.throwIfAborted();
  }
}

/** Without the URL of the request, of which whoever runs this knows nothing. */
function reasonOf({ kind, message, cause }: ReadingListError): string {
  if (kind !== 'network') return message;
  const { code = String(cause) } = ((cause as Error | undefined)?.cause ?? {}) as NodeJS.ErrnoException;
  return `the service cannot be reached (${code}); trying again`;
}

const articlesIn = (items: readonly object[]): Article[] =>
  items.filter((item): item is Article => !('deleted' in item && item.deleted));

/** Waits; ends early when the signal is aborted. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(milliseconds, 2 ** 31 - 1), undefined, { signal }).catch(() => undefined);
