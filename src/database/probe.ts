import type { Database } from './database.js';
import { before } from './before.js';

const TIMEOUT_MS = 2_000;

/** Whether the schema can be read, and whether the server reports itself as read-only. */
export interface Probe {
  isReachable: boolean;
  isReadOnly: boolean;
}

/** Probes the database with one statement, for at most two seconds. Never rejects. */
export async function probe(database: Database): Promise<Probe> {
  try {
    const sql = `SELECT ${database.dialect.isReadOnly} AS readOnly, EXISTS (SELECT 1 FROM accounts) AS isUsed`;
    const row = database.onSession((session) => session.row(sql, []));
    const state = await before(TIMEOUT_MS, row, new Error('timed out'));
    return { isReachable: state !== undefined, isReadOnly: Number(state?.readOnly) !== 0 };
  } catch {
    return { isReachable: false, isReadOnly: false };
  }
}
