import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { MoreThan } from 'typeorm';
import type { Database } from './database.js';
import { Lease } from './entities/lease.entity.js';
import { managerOn } from './entities/manager.js';

/** Who wants to do which task, and the time by that process's clock. */
export interface LeaseRequest {
  task: string;
  /** At most 36 characters, of this process alone. */
  holder: string;
  now: number;
  forMs: number;
}

/**
 * Takes or prolongs the right to do a task; false while another process has it. A row and no lock of the server, because
 * those hold on one node of a cluster only and SQLite has none. With wrong clocks two processes may hold it at once: the
 * task must be harmless then. A lease that reaches further than one taken now is of a clock that was ahead: it is cut to that
 * length, so that it ends whoever holds it.
 */
export async function takeLease(database: Database, { task, holder, now, forMs }: LeaseRequest): Promise<boolean> {
  const expires_on = now + forMs;
  try {
    return await database.onSession(async (session) => {
      const leases = managerOn(session).getRepository(Lease);
      const { affected } = await leases
        .createQueryBuilder()
        .update({ holder, expires_on })
        .where('task = :task AND (holder = :holder OR expires_on <= :now)', { task, holder, now })
        .execute();
      if (affected) return true;
      if (await leases.existsBy({ task })) {
        await leases.update({ task, expires_on: MoreThan(expires_on) }, { expires_on });
        return false;
      }
      await leases.insert({ task, holder, expires_on });
      return true;
    });
  } catch (error) {
    if (database.dialect.classify(error) !== 'duplicate') throw error;
    return false;
  }
}

/** A name for this process that says where it runs and is unlike all others. */
export const nameOfHolder = (): string =>
  `${hostname().slice(0, 16)} pid ${process.pid} ${randomBytes(3).toString('hex')}`.slice(0, 36);

/** Who has the right to do a task, and until when by the clock of that process; undefined when nobody has. */
export async function leaseOf(database: Database, task: string): Promise<Lease | undefined> {
  const lease = await database.onSession((session) => managerOn(session).findOneBy(Lease, { task }));
  return lease ?? undefined;
}

/** Gives the right back before it ends by itself. */
export async function returnLease(database: Database, task: string, holder: string): Promise<void> {
  await database.onSession((session) => managerOn(session).delete(Lease, { task, holder }));
}
