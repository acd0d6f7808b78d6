import { type Conflict } from '../article.js';
import { asReadingListError, type ReadingListError } from '../errors.js';
import type { Storage } from '../storage/storage.js';
import type { Alert } from '../wire/headers.js';
import type { Client, Page } from '../wire/client.js';
import type { CallOptions } from '../wire/transport.js';
import { Emitter } from './emitter.js';
import type { Mirror } from './mirror.js';
import { deltaOf, pull } from './pull.js';
import { push, type Sync } from './push.js';
import type { ServiceFacts } from './state.js';

/** The result of a sync. */
export interface SyncResult {
  /** Articles that were added, changed or deleted because of other devices. */
  pulled: number;
  /** Changes of this device that reached the server. */
  pushed: number;
  /** All conflicts since the last completed sync. */
  conflicts: Conflict[];
  requests: number;
}

export type Status = 'offline' | 'syncing' | 'idle' | 'signed-out' | 'gone';

/** The events of a reading list. */
export interface Events {
  /**
   * Articles look different, or their removal has been sent; `local` if this device's user changed them, `remote` for the
   * server or another tab.
   */
  change: { keys: string[]; source: 'local' | 'remote' };
  status: Status;
  conflict: Conflict;
  alert: Alert;
}

/** A page from a waiting poll, with the cursor of its request. */
export interface Prefetched {
  cursor: number;
  page: Page;
}

/**
 * How often a sync pushes again when devices or the user keep changing things; less often once something has failed. The
 * rest is left to the next sync.
 */
const MAX_ROUNDS = 10;

/** Synchronises the mirror with the server. */
export class Synchronizer {
  readonly events = new Emitter<Events>();
  status: Status = 'idle';
  /** When the next automatic request may be sent, by `performance.now()`. */
  notBefore = 0;
  #running: Promise<SyncResult> | undefined;
  readonly #abort = new AbortController();
  /** Conflicts, as JSON, that the application was told about. */
  #told = new Set<string>();
  /** Those of the last result. */
  #returned: string[] = [];
  /** The changes that the last sync could not send. */
  #failures = new Map<string, ReadingListError>();
  /** Those that an earlier sync could not send, and that are still pending. */
  #failedBefore = new Set<string>();
  #lastAlert = '';
  readonly #mirror: Mirror;
  readonly #client: Client;
  readonly #storage: Storage;

  constructor(mirror: Mirror, client: Client, storage: Storage) {
    this.#mirror = mirror;
    this.#client = client;
    this.#storage = storage;
  }

  /**
   * Pushes, then pulls. Concurrent calls share one sync. Rejects with a ReadingListError; pending changes stay pending.
   */
  sync(prefetched?: Prefetched): Promise<SyncResult> {
    // Not at once, as a listener to the status may sync, too.
    this.#running ??= Promise.resolve()
      .then(() => this.#run(prefetched))
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Aborts a running sync. */
  async close(): Promise<void> {
    this.#abort.abort(new Error('closed'));
    await this.#running?.catch(() => undefined);
    await this.#forgetReturned().catch(() => undefined);
  }

  /** Sends a waiting poll; returns `unsupported` if the server does not wait. */
  async waitForChange(seconds: number, signal: AbortSignal): Promise<Prefetched | 'unchanged' | 'unsupported'> {
    const { cursor } = this.#mirror.state;
    if (cursor === undefined) return 'unsupported';
    const { query, options } = deltaOf(cursor);
    const call = { ...this.#callOptions(), signal, timeoutMs: (seconds + 30) * 1000 };
    const page = await this.#client.page(query, { ...options, ...call, waitSeconds: seconds });
    // Something on the way may drop the condition, as caches do: then each response would seem to bring news.
    const isNews = page.startOver || page.items.length > 0 || page.lastModified !== cursor;
    if (!page.notModified && isNews) return { cursor, page };
    return page.grantedWaitSeconds === undefined ? 'unsupported' : 'unchanged';
  }

  /** Fetches the service's limits and capabilities. */
  async learn(call = this.#callOptions()): Promise<ServiceFacts> {
    const { settings, capabilities } = (await this.#client.service(call)) as RootMapping;
    const { batch_max_requests: limit = 25, wait_max_seconds: wait = 0 } = settings ?? {};
    const canWait = Array.isArray(capabilities) && capabilities.includes('wait');
    const service: ServiceFacts = {
      batchLimit: Number.isInteger(limit) ? Math.max(1, limit) : 25,
      waitSeconds: canWait && Number.isFinite(wait) ? wait : 0,
    };
    await this.#mirror.mutate(
      () => [],
      (transaction) => (transaction.state = { ...transaction.state, service }),
    );
    return service;
  }

  async #run(prefetched?: Prefetched): Promise<SyncResult> {
    this.#setStatus('syncing');
    try {
      const result = await this.#storage.lock('sync', () => this.#rounds(prefetched), this.#abort.signal);
      this.#setStatus('idle');
      return result;
    } catch (cause) {
      const error = asReadingListError(cause);
      for (const failure of [error, ...this.#failures.values()]) this.#holdBack(waitOf(failure));
      this.tellConflicts();
      if (this.status === 'syncing') this.#setStatus(STATUS_AFTER[error.kind]);
      throw error;
    } finally {
      const failed = [...this.#failedBefore, ...this.#failures.keys()];
      this.#failedBefore = new Set(failed.filter((key) => this.#mirror.isPending(key)));
    }
  }

  async #rounds(prefetched?: Prefetched): Promise<SyncResult> {
    const mirror = this.#mirror;
    const client = this.#client;
    let requests = 0;
    const call = this.#callOptions(() => requests++);
    const failures = (this.#failures = new Map<string, ReadingListError>());
    const counts = { pushed: 0, pulled: 0, failuresInARow: 0, rounds: 0 };
    const tellOdd: Sync['tellOdd'] = ({ message }, id = '?') =>
      this.events.emit('alert', { code: 'odd-record', message: `${id}: ${message}` });
    const sync: Sync = { mirror, client, call, failures, failedBefore: this.#failedBefore, tellOdd, ...counts };
    await mirror.refresh();
    await this.#forgetReturned();
    if (!mirror.state.service && this.#needsLimits()) await this.learn(call);
    for (; sync.rounds < (failures.size > 0 ? 3 : MAX_ROUNDS); sync.rounds++) {
      const result = await push(sync);
      // A page from before the push does not know what was deleted.
      if (!sync.rounds || result === 'outdated') await pull(sync, sync.pushed ? undefined : prefetched);
      this.tellConflicts();
      if (mirror.pending().every(({ key }) => failures.has(key))) break;
    }
    const [failure] = [...failures.values()].sort((a, b) => waitOf(b) - waitOf(a));
    if (failure) {
      // Other requests got through.
      this.#setStatus('idle');
      throw failure;
    }
    const { conflicts = [] } = mirror.state;
    this.#returned = conflicts.map((conflict) => JSON.stringify(conflict));
    return { pulled: sync.pulled, pushed: sync.pushed, conflicts, requests };
  }

  #callOptions(onRequest?: () => void): CallOptions {
    return {
      signal: this.#abort.signal,
      onRequest,
      onResponse: ({ backoffSeconds = 0, retryAfterSeconds = 0, alert }) => {
        this.#holdBack(Math.max(backoffSeconds, retryAfterSeconds));
        const name = JSON.stringify(alert);
        if (!alert || name === this.#lastAlert) return;
        this.#lastAlert = name;
        this.events.emit('alert', alert);
      },
    };
  }

  /** Lets the next automatic request wait. */
  #holdBack(seconds: number): void {
    this.notBefore = Math.max(this.notBefore, performance.now() + seconds * 1000);
  }

  /** Conflicts are reported as soon as they are durable, also those that another tab found, and again after a crash. */
  tellConflicts(): void {
    const before = this.#told;
    // Without those that are no longer stored: one that happens again is reported again.
    this.#told = new Set();
    for (const conflict of this.#mirror.state.conflicts ?? []) {
      const name = JSON.stringify(conflict);
      const isTold = before.has(name);
      if (isTold || this.events.has('conflict')) this.#told.add(name);
      if (!isTold) this.events.emit('conflict', conflict);
    }
  }

  /** Conflicts that the application was given as a result. */
  noteReceived(conflicts: Conflict[]): void {
    for (const conflict of conflicts) this.#told.add(JSON.stringify(conflict));
  }

  /** Only now is it certain that the caller has received the last result. What nobody was told about stays. */
  async #forgetReturned(): Promise<void> {
    const names = this.#returned.filter((name) => this.#told.has(name));
    this.#returned = [];
    if (names.length === 0) return;
    await this.#mirror.mutate(
      () => [],
      (transaction) => {
        const { conflicts = [], ...state } = transaction.state;
        const left = conflicts.filter((conflict) => !names.includes(JSON.stringify(conflict)));
        transaction.state = { ...state, conflicts: left };
      },
    );
  }

  /** A first sync may need one extra request. The limits only matter when there are several changes to send. */
  #needsLimits(): boolean {
    const { state } = this.#mirror;
    const count = this.#mirror.pending().length;
    const isFirst = state.cursor === undefined && state.walk === undefined;
    return isFirst ? count !== 1 : count > 1 && this.#client.canBatch;
  }

  #setStatus(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.events.emit('status', status);
  }
}

/** The relevant members of the root mapping; older services lack them. */
interface RootMapping {
  settings?: { batch_max_requests?: number; wait_max_seconds?: number };
  capabilities?: string[];
}

const STATUS_AFTER = {
  network: 'offline',
  protocol: 'offline',
  busy: 'idle',
  refused: 'idle',
  auth: 'signed-out',
  gone: 'gone',
} as const;

const waitOf = ({ retryAfterSeconds = 0 }: ReadingListError): number => retryAfterSeconds;
