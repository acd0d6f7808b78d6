import type { Now } from '../config/settings.module.js';
import type { Tally } from '../database/session.js';
import { committed, discarded, type Outcome } from '../database/transaction.js';
import { requireUnmodified } from '../protocol/request-headers.js';
import { addNewAccount, type Collection, lockCollection } from './accounts.store.js';
import { type Change, type Changing, type Quota, settle, withFreeTimestamp } from './tick.js';
import type { WatchedSession } from './watched-session.js';

/** How long a transaction may keep others waiting: on SQLite everybody who writes, on a server the same user only. */
const MAX_LOCKED_MS = { local: 500, server: 4_000 };

/** Thrown to repeat a transaction without a piece of work that has to be undone, or without collecting rows. */
export class MustRepeat extends Error {}

/** Whose collection a request concerns, and how many statements it has taken so far. */
export interface Owner extends Tally {
  account: Buffer;
  key: string;
  /** For an entry of a batch, the transaction that it is a part of; `session` is that transaction's. */
  readonly shared?: SharedChanges;
}

/**
 * One transaction for many changes of a user's collection, as the entries of a batch are (docs/adr/0014). It begins with
 * the first change, which locks the account. From then on the collection's timestamp and number of articles are counted
 * here, and written once, just before COMMIT: whoever needs them meanwhile takes `collection`, not the row.
 */
export class SharedChanges {
  /** The state of the collection with all changes so far; undefined until the account is locked. */
  collection?: Collection;
  private stored?: Collection;
  private isNew = false;
  private lockedAt = Infinity;
  private mustUndo = false;

  constructor(
    readonly session: WatchedSession,
    private readonly account: Buffer,
    private readonly now: Now,
  ) {}

  /** True once the account has been locked for so long that nothing more should be done in this transaction. */
  get isOverdue(): boolean {
    const { local, server } = MAX_LOCKED_MS;
    return performance.now() - this.lockedAt > (this.session.dialect.isLocal ? local : server);
  }

  /** True if the transaction has to be repeated without the last piece of work; where rows were refused, with it. */
  get mustUndoLast(): boolean {
    const { failure, refusedRows } = this.session;
    return failure === undefined && !refusedRows && this.mustUndo;
  }

  /** Throws what the transaction failed with, or `MustRepeat`. */
  requireIntact(): void {
    if (this.session.failure !== undefined) throw this.session.failure as Error;
    if (this.mustUndo || this.session.refusedRows) throw new MustRepeat('the transaction has to be repeated');
  }

  /** A change as `CollectionClock.change` makes it, in this transaction. */
  async change<T>({ liveDelta, ifUnmodifiedSince }: Change, work: Changing<T>, quota?: Quota<T>): Promise<T> {
    const collection = await this.lock();
    requireUnmodified({ ifUnmodifiedSince }, collection.last_modified);
    const { writes } = this.session;
    let isKept = false;
    try {
      if (quota && collection.live_count >= quota.maxLive) return await quota.whenFull(this.session);
      const next = Math.max(collection.last_modified + 1, this.now());
      const { result, last, ...outcome } = await withFreeTimestamp(this.session, this.account, next, work);
      isKept = outcome.isKept;
      const live_count = collection.live_count + liveDelta;
      if (isKept) this.collection = { ...collection, last_modified: last, live_count };
      return result;
    } finally {
      if (!isKept && this.session.writes > writes) this.mustUndo = true;
    }
  }

  private async lock(): Promise<Collection> {
    if (this.collection) return this.collection;
    await this.session.begin();
    this.lockedAt = performance.now();
    this.stored = await lockCollection(this.session, this.account);
    if (!this.stored) {
      this.isNew = true;
      await addNewAccount(this.session, this.account, this.now());
      this.stored = (await lockCollection(this.session, this.account))!;
    }
    this.collection = this.stored;
    return this.stored;
  }

  /** Ends the transaction: writes the collection's state if it has changed. */
  async finish<T>(result: T): Promise<Outcome<T>> {
    const { collection, stored, session, account } = this;
    await session.sendRows().catch(() => this.requireIntact());
    if (!collection || !stored) return discarded(result);
    if (collection === stored) return this.isNew ? committed(result) : discarded(result);
    const { last_modified, live_count } = collection;
    return committed(result, await settle(session, account, last_modified, live_count - stored.live_count));
  }
}
