import type { Database } from './database.js';
import { before } from './before.js';

const TIMEOUT_MS = 2_000;

/** What a look at the database shows: whether it reads the schema, and whether it says that it takes no writes. */
export interface Probe {
  answers: boolean;
  isReadOnly: boolean;
}

/** Looks at the database with one statement, for two seconds at most. Never rejects. */
export async function probe(database: Database): Promise<Probe> {
  try {
    const question = `SELECT ${database.dialect.isReadOnly} AS readOnly, EXISTS (SELECT 1 FROM accounts) AS isUsed`;
    const row = database.onSession((session) => session.row(question, []));
    const state = await before(TIMEOUT_MS, row, new Error('timed out'));
    return { answers: state !== undefined, isReadOnly: Number(state?.readOnly) !== 0 };
  } catch {
    return { answers: false, isReadOnly: false };
  }
}
