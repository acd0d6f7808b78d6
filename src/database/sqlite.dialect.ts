import type { ClockTick, Dialect, Failure, Session } from './session.js';

const TICK = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) WHERE last_modified <= ?
  RETURNING last_modified`;

async function tick(session: Session, { account, now, liveDelta, ifUnmodifiedSince }: ClockTick) {
  const limit = ifUnmodifiedSince ?? Number.MAX_SAFE_INTEGER;
  const [row] = await session.rows(TICK, [account, now, liveDelta, now - 1, limit]);
  return row?.last_modified as number | undefined;
}

function classify(error: unknown): Failure {
  const code = String((error as { code?: unknown }).code);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'duplicate';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'retry';
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM|PERM)/.test(code) ? 'away' : 'bug';
}

/** SQLite 3.35+, one writer at a time. */
export const sqliteDialect: Dialect = {
  begin: 'BEGIN IMMEDIATE',
  tick,
  insertAccount:
    'INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING',
  indexHint: (index) => ` INDEXED BY ${index}`,
  classify,
};
