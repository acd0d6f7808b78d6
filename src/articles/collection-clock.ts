import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/account.js';
import { CLOCK, type Clock } from '../config/config.module.js';
import type { Database, Transaction } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { Session } from '../database/session.js';
import { modifiedMeanwhile } from '../protocol/api-error.js';
import { requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { type Collection, findCollection } from './articles.store.js';

/** The row of a user's account: the clock of the collection, and the lock of those who write to it. */
@Injectable()
export class CollectionClock {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The user's collection; the first contact fixes its timestamp. */
  async read(session: Session, account: Buffer): Promise<Collection> {
    const known = await findCollection(session, account);
    if (known) return known;
    const now = this.clock();
    await session.run(this.database.dialect.insertAccount, [account, now, now - 1]);
    return (await findCollection(session, account))!;
  }

  /** Throws 412 / 114 early, and gives a new user's collection its timestamp before it is compared. */
  async requireUnmodified(caller: Caller, conditions: Preconditions): Promise<void> {
    if (conditions.ifUnmodifiedSince === undefined) return;
    const { last_modified } = await this.database.read((session) => this.read(session, caller.account), caller);
    requireUnmodified(conditions, last_modified);
  }

  /**
   * Locks the account for the rest of the transaction and gives out its next timestamp. `liveDelta` is what the transaction
   * adds to the number of live articles. Throws 412 / 114 when the collection changed after `ifUnmodifiedSince`.
   */
  async tick(transaction: Transaction, account: Buffer, liveDelta: number, ifUnmodifiedSince?: Timestamp) {
    const now = this.clock();
    const timestamp = await this.database.dialect.tick(transaction, { account, now, liveDelta, ifUnmodifiedSince });
    if (timestamp !== undefined) return timestamp;
    throw modifiedMeanwhile((await findCollection(transaction, account))!.last_modified);
  }
}
