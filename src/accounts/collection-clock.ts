import { Inject, Injectable, Module } from '@nestjs/common';
import DataLoader from 'dataloader';
import { NOW, type Now } from '../config/now.js';
import { Database } from '../database/database.js';
import { deadlineOf, discarded, type Session } from '../database/session.js';
import { modifiedMeanwhile } from '../protocol/api-error.js';
import { requireUnmodified } from '../protocol/request-headers.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { type Collection, findCollection, findOrAdd, lastModifiedOf } from './accounts.store.js';
import { type Owner, SharedChanges } from './shared-changes.js';
import { type Change, type Changing, type Quota, tick, withFreeTimestamp } from './tick.js';

/** The row of a user's account: the clock of the collection, and the lock for its writers. */
@Injectable()
export class CollectionClock {
  /** Called once a change by this process is durable, with its latest timestamp; set by whoever wakes polls. */
  announce: (key: string, last_modified: Timestamp) => void = () => undefined;
  private readonly looks = new DataLoader(
    async (owners: readonly Owner[]) => {
      const accounts = owners.map(({ account }) => account);
      // All polls have the share of one user: where statements are slow, they would take every session.
      const tally = { statements: 0, key: 'polls' };
      const found = await this.database.onSession((session) => lastModifiedOf(session, accounts), tally);
      return owners.map(({ key }) => found.get(key));
    },
    { maxBatchSize: 100, cache: false },
  );

  constructor(
    private readonly database: Database,
    @Inject(NOW) private readonly now: Now,
  ) {}

  /** The user's latest timestamp, undefined before the first contact. On a server polls of one turn share a statement. */
  async latest(owner: Owner): Promise<Timestamp | undefined> {
    const { account, shared } = owner;
    if (shared?.collection) return shared.collection.last_modified;
    if (shared || this.database.dialect.isLocal)
      return (await this.database.onSession((session) => findCollection(session, account), owner))?.last_modified;
    owner.statements++;
    deadlineOf(owner);
    return this.looks.load(owner);
  }

  /** The user's collection; created, with its first timestamp, if it does not exist. */
  async read(session: Session, { account, shared }: Owner): Promise<Collection> {
    return shared?.collection ?? findOrAdd(session, account, this.now());
  }

  current(owner: Owner): Promise<Collection> {
    return this.database.onSession((session) => this.read(session, owner), owner);
  }

  /**
   * Runs a transaction that first locks the account and takes its next timestamp, and announces it once it is committed.
   * `work` may run more than once. Throws 412 / 114 when the collection changed after `ifUnmodifiedSince`.
   */
  change<T>(owner: Owner, change: Change, work: Changing<T>, quota?: Quota<T>): Promise<T> {
    if (owner.shared) return owner.shared.change(change, work, quota);
    const { account, key } = owner;
    return this.database.inTransaction(async (transaction) => {
      const ticked = await tick(transaction, { account, now: this.now(), ...change, maxLive: quota?.maxLive });
      if (!ticked) {
        const { last_modified, live_count } = (await findCollection(transaction, account))!;
        requireUnmodified(change, last_modified);
        if (!quota || live_count < quota.maxLive) throw modifiedMeanwhile(last_modified);
        return discarded(await quota.whenFull(transaction));
      }
      const { timestamp, witness } = ticked;
      const outcome = await withFreeTimestamp(transaction, account, timestamp, work);
      return { ...outcome, witness, whenDurable: () => this.announce(key, outcome.last) };
    }, owner);
  }

  /**
   * Runs `work`, maybe more than once, in one transaction, and announces it once. Everything done with the given changes as
   * the owner's `shared` is part of it. Rejects with `MustRepeat` if this has to be called again, without collecting rows.
   */
  together<T>(owner: Owner, collectsRows: boolean, work: (shared: SharedChanges) => Promise<T>): Promise<T> {
    const { account, key } = owner;
    return this.database.inLazyTransaction(async (session) => {
      const shared = new SharedChanges(session, collectsRows, account, this.now);
      const outcome = await shared.finish(await work(shared));
      return { ...outcome, whenDurable: () => this.announce(key, shared.collection!.last_modified) };
    }, owner);
  }
}

@Module({ providers: [CollectionClock], exports: [CollectionClock] })
export class AccountsModule {}
