import type { Dialect, LoanedSession, SessionSource } from './session.js';

/**
 * Called with the SQL of every statement, without its values; the function it returns is called when the statement
 * ends.
 */
export type StatementObserver = (sql: string) => ((error?: unknown) => void) | void;

/** Wraps sessions to report every statement to the observer. */
export function observedSessions(source: SessionSource, observe: StatementObserver): SessionSource {
  return {
    dialect: source.dialect,
    usage: () => source.usage(),
    close: () => source.close?.(),
    acquire: async (tally) => observedSession(await source.acquire(tally), source.dialect, observe),
  };
}

function observedSession(session: LoanedSession, { begin }: Dialect, observe: StatementObserver): LoanedSession {
  return {
    dataSource: session.dataSource,
    rows: (sql, parameters, isLast) => observed(observe(sql), session.rows(sql, parameters, isLast)),
    row: (sql, parameters) => observed(observe(sql), session.row(sql, parameters)),
    run: (sql, parameters) => observed(observe(sql), session.run(sql, parameters)),
    begin: () => observed(observe(begin), session.begin()),
    commit: () => observed(observe('COMMIT'), session.commit()),
    rollBack: () => observed(observe('ROLLBACK'), session.rollBack()),
    release: () => session.release(),
    destroy: () => session.destroy(),
  };
}

function observed<T>(end: ReturnType<StatementObserver>, result: Promise<T>): Promise<T> {
  if (end) result.then(() => end(), end);
  return result;
}
