import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { isDue, nextToErase, noteErased } from '../accounts/deprovisioned.store.js';
import { CLOCK, type Clock } from '../config/settings.module.js';
import { Database } from '../database/database.js';
import { committed } from '../database/transaction.js';
import { eraseUser } from './erase-user.js';
import { PAUSE_MS } from './tombstone-purge.js';

/** Erases the lists of deprovisioned users whose time has come. It can be interrupted, and run by several processes at once. */
@Injectable()
export class DueErasures {
  private readonly logger = new Logger('Erasure');

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects with 503 / 201 when the database stays unavailable. */
  async run(isStopped: () => boolean = () => false): Promise<void> {
    // One after the other, as a user may be readmitted meanwhile.
    for (;;) {
      const account = await this.database.onSession((session) => nextToErase(session, this.clock()));
      if (!account) return;
      let erased = 0;
      for await (erased of eraseUser(this.database, account)) {
        if (isStopped()) return;
        if (!(await this.database.onSession((session) => isDue(session, account, this.clock())))) break;
        await sleep(PAUSE_MS);
      }
      await this.database.inTransaction(async (transaction) =>
        committed(await noteErased(transaction, account, this.clock())),
      );
      this.logger.log(`erased ${erased} articles and tombstones of the deprovisioned user ${account.toString('hex')}`);
    }
  }
}
