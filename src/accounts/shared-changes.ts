import type { Now } from '../config/now.js';
import type { LoanedSession, Outcome, Parameter, Row, Session, Tally, WriteResult } from '../database/session.js';
import { committed, discarded, placeholders, unavailable } from '../database/session.js';
import { ApiError } from '../protocol/api-error.js';
import { requireUnmodified } from '../protocol/request-headers.js';
import { type Collection, findOrAdd, lockCollection } from './accounts.store.js';
import { type Change, type Changing, type Quota, settle, withFreeTimestamp } from './tick.js';

/** How long a transaction may keep others waiting: on SQLite everybody who writes, on a server the same user only. */
const MAX_LOCKED_MS = { local: 500, server: 4_000 };

/** Thrown to repeat a transaction without a piece of work that has to be undone, or without collecting rows. */
export class MustRepeat extends Error {}

/** Whose collection a request concerns, and for an entry of a batch the transaction that it is a part of. */
export interface Owner extends Tally {
  account: Buffer;
  key: string;
  readonly shared?: SharedChanges;
}

/**
 * One transaction for many changes of a user's collection, as the entries of a batch are (docs/adr/0014), and the session
 * on which it runs. It begins with the first change, which locks the account. From then on the collection's state is kept
 * here, and written once, just before COMMIT: whoever needs it meanwhile takes `collection`, not the row.
 */
export class SharedChanges implements Session {
  readonly dataSource = this.session.dataSource;
  readonly dialect = this.session.dialect;
  /** With all changes so far; undefined until the account is locked. */
  collection?: Collection;
  private stored?: Collection;
  private lockedAt = Infinity;
  /** Why all of it has to be repeated or given up; the server may have undone all of it. */
  private failure?: unknown;
  private mustUndo = false;
  private writes = 0;
  private readonly collects = this.mayCollect && !this.dialect.isLocal;
  /** True on a server when the transaction is repeated: a key may have been taken. */
  readonly looksFirst = !this.mayCollect && !this.dialect.isLocal;
  private insertInto = '';
  private readonly collected: Parameter[][] = [];
  private collectedLength = 0;

  /** @param mayCollect whether a server may get several rows at once; in a file a statement costs next to nothing */
  constructor(
    private readonly session: LoanedSession,
    private readonly mayCollect: boolean,
    private readonly account: Buffer,
    private readonly now: Now,
  ) {}

  /** True once the account has been locked for so long that nothing more should be done in this transaction. */
  get isOverdue(): boolean {
    return performance.now() - this.lockedAt > MAX_LOCKED_MS[this.dialect.isLocal ? 'local' : 'server'];
  }

  /** True if the transaction has to be repeated without the last piece of work. */
  get mustUndoLast(): boolean {
    return this.failure === undefined && this.mustUndo;
  }

  /** Throws what the transaction failed with, or `MustRepeat`. */
  requireIntact(): void {
    if (this.failure !== undefined) throw this.failure as Error;
    if (this.mustUndo) throw new MustRepeat('a piece of work has to be undone');
  }

  /** A change as `CollectionClock.change` makes it, in this transaction. */
  async change<T>({ liveDelta, ifUnmodifiedSince }: Change, work: Changing<T>, quota?: Quota<T>): Promise<T> {
    const collection = await this.lock();
    requireUnmodified({ ifUnmodifiedSince }, collection.last_modified);
    const { writes } = this;
    let isKept = false;
    try {
      if (quota && collection.live_count >= quota.maxLive) return await quota.whenFull(this);
      const next = Math.max(collection.last_modified + 1, this.now());
      const { result, last, ...outcome } = await withFreeTimestamp(this, this.account, next, work);
      isKept = outcome.isKept;
      const live_count = collection.live_count + liveDelta;
      if (isKept) this.collection = { ...collection, last_modified: last, live_count };
      return result;
    } finally {
      if (!isKept && this.writes > writes) this.mustUndo = true;
    }
  }

  private async lock(): Promise<Collection> {
    if (this.collection) return this.collection;
    await this.watch(() => this.session.begin(true));
    this.lockedAt = performance.now();
    this.stored = await findOrAdd(this, this.account, this.now(), lockCollection);
    return (this.collection = this.stored);
  }

  /** Ends the transaction: writes the collection's state if it has changed. */
  async finish<T>(result: T): Promise<Outcome<T>> {
    await this.sendRows().catch(() => this.requireIntact());
    const { collection, stored } = this;
    if (!collection || !stored) return discarded(result);
    // Then only the account of a new user was written.
    if (collection === stored) return this.writes > 0 ? committed(result) : discarded(result);
    const { last_modified, live_count } = collection;
    return committed(result, await settle(this, this.account, last_modified, live_count - stored.live_count));
  }

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.watch(() => this.session.rows(sql, parameters));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.watch(() => this.session.row(sql, parameters));
  }

  async run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    const result = await this.watch(() => this.session.run(sql, parameters));
    if (result.affectedRows > 0) this.writes++;
    return result;
  }

  /** Inserts the first row immediately: if it is a duplicate, others usually are. Collects the rest: 25 rows take two INSERTs. */
  async insertRow(insert: string, row: Parameter[]): Promise<void> {
    if (this.insertInto === '') {
      await this.run(insert + placeholders(row), row);
      if (this.collects) this.insertInto = insert;
      return;
    }
    if (insert !== this.insertInto) await this.sendRows();
    this.writes++;
    this.insertInto = insert;
    this.collected.push(row);
    for (const value of row) if (typeof value === 'string') this.collectedLength += value.length;
    // Far below the largest statement of the service.
    if (this.collectedLength > 100_000) await this.sendRows();
  }

  /** Inserts the collected rows. Rejects with 503 / 201, and inserts none, if one of them is refused, such as a duplicate. */
  private async sendRows(): Promise<void> {
    const rows = this.collected.splice(0);
    if (rows.length === 0) return;
    this.collectedLength = 0;
    try {
      await this.watch(() => this.session.run(this.insertInto + rows.map(placeholders).join(', '), rows.flat()));
    } catch (error) {
      this.failure ??= new MustRepeat('rows were refused');
      throw unavailable(error);
    }
  }

  /** Runs a statement after the collected rows. */
  private async watch<T>(statement: () => Promise<T>): Promise<T> {
    await this.sendRows();
    try {
      return await statement();
    } catch (error) {
      // A duplicate key or a defect undoes the statement only, and concerns whoever sent it.
      const kind = error instanceof ApiError ? 'away' : this.dialect.classify(error);
      if (kind !== 'duplicate' && kind !== 'bug') this.failure ??= error;
      // On a server it has locked the gap to the previous user, for as long as the transaction lasts.
      if (kind === 'duplicate' && this.collects) this.failure ??= new MustRepeat('a key was taken');
      throw error;
    }
  }
}
