import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { MoreThan } from 'typeorm';
import type { Database } from './database.js';
import { Lease } from './entities/lease.entity.js';
import { managerOn } from './entities/manager.js';

/** Who wants to run which task, and the time by that process's clock. */
export interface LeaseRequest {
  task: string;
  /** At most 36 characters, unique to this process. */
  holder: string;
  now: number;
  forMs: number;
}

/**
 * Acquires or extends the lease of a task; false while another process holds it. It is a row rather than a server lock,
 * because those hold on only one node of a cluster and SQLite has none. With wrong clocks two processes may hold it at
 * once, so running the task twice must be harmless. A lease that expires later than one acquired now comes from a clock
 * that was ahead: it is shortened, so that it expires whoever holds it.
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

/** A unique name for this process that tells where it runs. */
export const nameOfHolder = (): string =>
  `${hostname().slice(0, 16)} pid ${process.pid} ${randomBytes(3).toString('hex')}`.slice(0, 36);

/** The lease of a task, which expires by its holder's clock; undefined if nobody holds it. */
export async function leaseOf(database: Database, task: string): Promise<Lease | undefined> {
  const lease = await database.onSession((session) => managerOn(session).findOneBy(Lease, { task }));
  return lease ?? undefined;
}

/** Releases a lease before it expires. */
export async function returnLease(database: Database, task: string, holder: string): Promise<void> {
  await database.onSession((session) => managerOn(session).delete(Lease, { task, holder }));
}
