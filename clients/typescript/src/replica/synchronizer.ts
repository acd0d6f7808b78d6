import { type Conflict } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { Storage } from '../storage/storage.js';
import type { Alert } from '../wire/headers.js';
import type { Client, Page } from '../wire/client.js';
import type { CallOptions } from '../wire/transport.js';
import { Emitter } from './emitter.js';
import type { Mirror } from './mirror.js';
import { deltaOf, pull } from './pull.js';
import { push, type Sync } from './push.js';
import type { ServiceFacts } from './state.js';

/** What a sync did. */
export interface SyncResult {
  /** Articles that came or changed or went by what other devices did. */
  pulled: number;
  /** Changes of this device that the server has now. */
  pushed: number;
  /** All conflicts since the last sync that was complete. */
  conflicts: Conflict[];
  requests: number;
}

export type Status = 'offline' | 'syncing' | 'idle' | 'signed-out' | 'gone';

export interface SyncEvents {
  status: Status;
  conflict: Conflict;
  alert: Alert;
}

/** A page that came by a waiting poll, and the cursor it was asked with. */
export interface Prefetched {
  cursor: number;
  page: Page;
}

/** As often a sync pushes again what other devices, or this one's user, changed meanwhile. What is left is for the next. */
const MAX_ROUNDS = 10;

/** Brings the mirror and the server in step. */
export class Synchronizer {
  readonly events = new Emitter<SyncEvents>();
  status: Status = 'idle';
  /** Requests that the user did not ask for wait until then, by `performance.now()`. */
  notBefore = 0;
  private running: Promise<SyncResult> | undefined;
  private readonly abort = new AbortController();
  /** Conflicts, as JSON, of which listeners know, and those that a result had. */
  private readonly told = new Set<string>();
  private returned: Conflict[] = [];
  private lastAlert = '';

  constructor(
    private readonly mirror: Mirror,
    private readonly client: Client,
    private readonly storage: Storage,
  ) {}

  /** Pushes, then pulls. Calls at the same time are one. Rejects with a ReadingListError; what is pending stays so. */
  sync(prefetched?: Prefetched): Promise<SyncResult> {
    this.running ??= this.run(prefetched).finally(() => (this.running = undefined));
    return this.running;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.abort.abort(new Error('the reading list was closed'));
    await this.running?.catch(() => undefined);
    await this.forgetReturned().catch(() => undefined);
  }

  /** Holds a poll at the server until something changes; undefined when nothing did, or the server does not wait. */
  async waitForChange(seconds: number, signal: AbortSignal): Promise<Prefetched | 'unchanged' | 'unsupported'> {
    const { cursor } = this.mirror.state;
    if (cursor === undefined) return 'unsupported';
    const { query, options } = deltaOf(cursor);
    const call = { ...this.callOptions(() => undefined), signal, timeoutMs: (seconds + 30) * 1000 };
    const page = await this.client.page(query, { ...options, ...call, waitSeconds: seconds });
    if (!page.notModified) return { cursor, page };
    return page.grantedWaitSeconds === undefined ? 'unsupported' : 'unchanged';
  }

  /** Asks the service for its limits and what it offers. */
  async learn(call = this.callOptions(() => undefined)): Promise<ServiceFacts> {
    const { settings, capabilities } = (await this.client.service(call)) as RootMapping;
    const service: ServiceFacts = {
      batchLimit: settings?.batch_max_requests ?? 25,
      waitSeconds: capabilities?.includes('wait') ? (settings?.wait_max_seconds ?? 0) : 0,
    };
    await this.mirror.mutate(
      () => [],
      (transaction) => (transaction.state = { ...transaction.state, service }),
    );
    return service;
  }

  private async run(prefetched?: Prefetched): Promise<SyncResult> {
    this.setStatus('syncing');
    try {
      const result = await this.storage.lock('sync', () => this.rounds(prefetched), this.abort.signal);
      this.setStatus('idle');
      return result;
    } catch (cause) {
      const error = asReadingListError(cause);
      this.tellConflicts();
      this.setStatus(STATUS_AFTER[error.kind]);
      throw error;
    }
  }

  private async rounds(prefetched?: Prefetched): Promise<SyncResult> {
    const { mirror, client } = this;
    let requests = 0;
    const call = this.callOptions(() => requests++);
    const sync: Sync = { mirror, client, call, pushed: 0, pulled: 0 };
    // Another tab may have synced a moment ago.
    await mirror.mutate(
      () => [],
      () => undefined,
    );
    await this.forgetReturned();
    if (!mirror.state.service && this.needsLimits()) await this.learn(call);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (round > 0 && mirror.pending().length === 0) break;
      const result = await push(sync);
      if (round === 0 || result === 'outdated') await pull(sync, round === 0 ? prefetched : undefined);
      this.tellConflicts();
    }
    const { conflicts = [] } = mirror.state;
    this.returned = conflicts;
    return { pulled: sync.pulled, pushed: sync.pushed, conflicts, requests };
  }

  private callOptions(onRequest: () => void): CallOptions {
    return {
      signal: this.abort.signal,
      onRequest,
      onResponse: ({ backoffSeconds = 0, retryAfterSeconds = 0, alert }) => {
        const wait = Math.max(backoffSeconds, retryAfterSeconds) * 1000;
        this.notBefore = Math.max(this.notBefore, performance.now() + wait);
        if (alert && JSON.stringify(alert) !== this.lastAlert) {
          this.lastAlert = JSON.stringify(alert);
          this.events.emit('alert', alert);
        }
      },
    };
  }

  /** Conflicts are told as soon as they are durable, and once more after a crash. */
  private tellConflicts(): void {
    for (const conflict of this.mirror.state.conflicts ?? []) {
      const name = JSON.stringify(conflict);
      if (this.told.has(name)) continue;
      this.told.add(name);
      this.events.emit('conflict', conflict);
    }
  }

  /** Only now, that the caller has the last result for certain. */
  private async forgetReturned(): Promise<void> {
    const names = new Set(this.returned.map((conflict) => JSON.stringify(conflict)));
    this.returned = [];
    if (names.size === 0) return;
    await this.mirror.mutate(
      () => [],
      (transaction) => {
        const { conflicts = [], ...state } = transaction.state;
        const left = conflicts.filter((conflict) => !names.has(JSON.stringify(conflict)));
        transaction.state = left.length === 0 ? state : { ...state, conflicts: left };
      },
    );
    for (const name of names) this.told.delete(name);
  }

  /** A first sync may ask for one thing more. Where there is one change to send, or none, the limits do not matter. */
  private needsLimits(): boolean {
    const { state } = this.mirror;
    const count = this.mirror.pending().length;
    const isFirst = state.cursor === undefined && state.walk === undefined;
    return isFirst ? count !== 1 : count > 1 && this.client.canBatch;
  }

  private setStatus(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.events.emit('status', status);
  }
}

/** The members of the root mapping that matter here; older services have none of them. */
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

const asReadingListError = (error: unknown): ReadingListError =>
  error instanceof ReadingListError ? error : new ReadingListError('refused', String(error), { cause: error });
