import type { PoolConnection } from 'mysql2';
import type { DataSource, QueryRunner } from 'typeorm';
import { before } from '../../time-limit.js';
import type { LoanedSession, Parameter, Row, SessionSource, Tally, Usage, WriteResult } from '../session.js';
import { unavailable } from '../session.js';
import { mysqlDialect, type Stage } from './dialect.js';

const ACQUIRE_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 3_000;
/** When the server ends a statement that nobody waits for, and a transaction whose instance was stopped or has vanished. */
const ABANDONED_AFTER_S = 4;

/** Sessions on pooled connections. Every wait is bounded here: the driver waits forever for a hung server, or a connection. */
export class MysqlSessions implements SessionSource {
  readonly dialect = mysqlDialect;
  readonly usage: Usage = { used: 0, waiting: 0, queued: 0 };

  constructor(private readonly dataSource: DataSource) {}

  async acquire(tally: Tally, deadline: number): Promise<LoanedSession> {
    const runner = this.dataSource.createQueryRunner();
    this.usage.waiting++;
    try {
      const connection = await connected(runner);
      if (!limited.has(connection)) {
        limited.add(connection);
        // Ahead of its first statement: if it is broken, that fails too. A server without such limits goes without.
        connection.query(LIMITS, () => undefined);
      }
      this.usage.used++;
      return new MysqlSession(runner, connection, tally, deadline, () => this.usage.used--);
    } finally {
      this.usage.waiting--;
    }
  }
}

/** The runner's connection. One that arrives too late is returned to the pool. */
async function connected(runner: QueryRunner): Promise<PoolConnection> {
  const connecting = runner.connect() as Promise<PoolConnection>;
  try {
    return await before(ACQUIRE_TIMEOUT_MS, connecting, () => {
      connecting.then(() => runner.release()).catch(() => undefined);
      return new Error('no connection became free in time');
    });
  } catch (error) {
    // The error above, those of the pool itself and a `SettingError` have no code.
    if (!(error as NodeJS.ErrnoException).code) throw unavailable(error);
    throw Object.assign(error as Error, { stage: 'connect' });
  }
}

const limited = new WeakSet<PoolConnection>();
// Migrations have none. To each server, the other's part is a comment. MySQL ends only SELECTs, and idle connections.
const LIMITS = `SET SESSION /*M! max_statement_time = ${ABANDONED_AFTER_S}, idle_transaction_timeout = ${ABANDONED_AFTER_S} */
  /*!80000 max_execution_time = ${ABANDONED_AFTER_S}000, wait_timeout = 60 */`;

class MysqlSession implements LoanedSession {
  readonly dialect = mysqlDialect;
  readonly dataSource = this.runner.dataSource;
  private begun?: Promise<unknown>;
  private abort?: (error: Error) => void;
  /** Restarted by each statement: the driver's own time limit would cost one timer per statement. */
  private readonly watchdog = setTimeout(() => this.abort?.(tooSlow()), STATEMENT_TIMEOUT_MS);

  constructor(
    private readonly runner: QueryRunner,
    private readonly connection: PoolConnection,
    private readonly tally: Tally,
    private readonly deadline: number,
    private readonly onEnd: () => void,
  ) {}

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.send('statement', sql, parameters) as Promise<Row[]>;
  }

  async row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return (await this.rows(sql, parameters))[0];
  }

  run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    return this.send('statement', sql, parameters) as Promise<WriteResult>;
  }

  async begin(): Promise<void> {
    await (this.begun ??= this.send('begin', 'START TRANSACTION'));
  }

  async commit(): Promise<void> {
    await this.send('commit', 'COMMIT');
  }

  async rollBack(): Promise<void> {
    if (this.begun) await this.send('rollback', 'ROLLBACK');
  }

  /**
   * Sends a statement through the driver: TypeORM's `query` would cost as much again. Rejects when it takes too long, or
   * comes after the deadline, which ROLLBACK may; the connection then has to be destroyed.
   */
  private send(stage: Stage, sql: string, parameters: Parameter[] = []): Promise<unknown> {
    if (this.runner.isReleased) return Promise.reject(new Error('the session was released'));
    if (performance.now() > this.deadline && stage !== 'rollback') return Promise.reject(tooSlow());
    this.tally.statements++;
    return new Promise((resolve, reject) => {
      this.abort = reject;
      this.watchdog.refresh();
      this.connection.query(sql, parameters, (error, result) => {
        if (error) reject(Object.assign(error, { stage }));
        else resolve(result);
      });
    });
  }

  release(): void {
    clearTimeout(this.watchdog);
    void this.runner.release();
    this.onEnd();
  }

  /** Closes the connection, which the runner would return to the pool in whatever state it is. */
  destroy(): void {
    clearTimeout(this.watchdog);
    this.connection.destroy();
    this.onEnd();
  }
}

/** Classified like the driver's own timeout: whether the statement took effect is unknown. */
const tooSlow = (): Error =>
  Object.assign(new Error('the database did not respond in time'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
