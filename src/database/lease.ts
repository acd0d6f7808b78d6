import type { Database } from './database.js';

const TAKE = 'UPDATE leases SET holder = ?, expires_on = ? WHERE task = ? AND (holder = ? OR expires_on <= ?)';
const FIRST = 'INSERT INTO leases (task, holder, expires_on) VALUES (?, ?, ?)';
const RETURN = 'DELETE FROM leases WHERE task = ? AND holder = ?';

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
 * task must be harmless then.
 */
export async function takeLease(database: Database, { task, holder, now, forMs }: LeaseRequest): Promise<boolean> {
  const until = now + forMs;
  try {
    return await database.read(async (session) => {
      const { affectedRows } = await session.run(TAKE, [holder, until, task, holder, now]);
      if (affectedRows > 0) return true;
      const [taken] = await session.rows('SELECT 1 FROM leases WHERE task = ?', [task]);
      if (!taken) await session.run(FIRST, [task, holder, until]);
      return !taken;
    });
  } catch (error) {
    if (database.dialect.classify(error) !== 'duplicate') throw error;
    return false;
  }
}

/** Gives the right back before it ends by itself. */
export async function returnLease(database: Database, task: string, holder: string): Promise<void> {
  await database.read((session) => session.run(RETURN, [task, holder]));
}
