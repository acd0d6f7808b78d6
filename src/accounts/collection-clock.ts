import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../config/config.module.js';
import { Database } from '../database/database.js';
import type { Outcome } from '../database/outcome.js';
import type { Session } from '../database/session.js';
import { modifiedMeanwhile } from '../protocol/api-error.js';
import { requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { CollectionChanges } from './collection-changes.js';
import type { Collection, Owner } from './account.row.js';
import { addAccount, findCollection } from './accounts.store.js';
import { tick } from './tick.js';

/** What a transaction does to the account. */
export interface Change {
  /** What it adds to the number of live articles. */
  liveDelta: number;
  /** It is refused when the collection changed after this. */
  ifUnmodifiedSince?: Timestamp;
}

/** The row of a user's account: the clock of the collection, and the lock of those who write to it. */
@Injectable()
export class CollectionClock {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly changes: CollectionChanges,
  ) {}

  /** The user's collection; the first contact fixes its timestamp. */
  async read(session: Session, account: Buffer): Promise<Collection> {
    const known = await findCollection(session, account);
    if (known) return known;
    const now = this.clock();
    await addAccount(session, { account, last_modified: now, live_count: 0, purged_until: now - 1 });
    return (await findCollection(session, account))!;
  }

  /** Throws 412 / 114 early, and gives a new user's collection its timestamp before it is compared. */
  async requireUnmodified(owner: Owner, conditions: Preconditions): Promise<void> {
    if (conditions.ifUnmodifiedSince === undefined) return;
    const { last_modified } = await this.database.onSession((session) => this.read(session, owner.account), owner);
    requireUnmodified(conditions, last_modified);
  }

  /**
   * A transaction that locks the account first and gets its next timestamp, of which whoever waits for changes is told once it
   * is committed. `work` may run more than once. Throws 412 / 114 when the collection changed after `ifUnmodifiedSince`.
   */
  async change<T>(
    owner: Owner,
    { liveDelta, ifUnmodifiedSince }: Change,
    work: (transaction: Session, timestamp: Timestamp) => Promise<Outcome<T>>,
  ): Promise<T> {
    const { account } = owner;
    let latest: Timestamp | undefined;
    const result = await this.database.inTransaction(async (transaction) => {
      const timestamp = await tick(transaction, { account, now: this.clock(), liveDelta, ifUnmodifiedSince });
      if (timestamp === undefined) throw modifiedMeanwhile((await findCollection(transaction, account))!.last_modified);
      const outcome = await work(transaction, timestamp);
      latest = outcome.isKept ? timestamp : undefined;
      return outcome;
    }, owner);
    if (latest !== undefined) this.changes.announce(account, latest);
    return result;
  }
}
