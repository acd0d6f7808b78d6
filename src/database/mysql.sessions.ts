import type { Pool, PoolConnection } from 'mysql2';
import { mysqlDialect } from './mysql.dialect.js';
import type { LoanedSession, Parameter, Purpose, Row, SessionSource, Tally, WriteResult } from './session.js';
import { unavailable } from './unavailable.js';

const ACQUIRE_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 3_000;

/**
 * Sessions from TypeORM's mysql2 pool. Statements go to the driver itself: TypeORM's query runner would add a fifth to the
 * cost of a short statement. Every wait is bounded, as mysql2 by itself waits for ever on a hung server or an empty pool.
 */
export class MysqlSessions implements SessionSource {
  readonly dialect = mysqlDialect;
  private used = 0;
  private waiting = 0;

  constructor(private readonly pool: Pool) {}

  usage() {
    return { used: this.used, waiting: this.waiting };
  }

  async acquire(_purpose: Purpose, tally: Tally): Promise<LoanedSession> {
    this.waiting++;
    try {
      const connection = await this.connection();
      this.used++;
      return new MysqlSession(connection, tally, () => this.used--);
    } finally {
      this.waiting--;
    }
  }

  private connection(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        reject(unavailable(new Error('no connection became free in time')));
      }, ACQUIRE_TIMEOUT_MS);
      this.pool.getConnection((error, connection) => {
        clearTimeout(timer);
        if (late) connection?.release();
        else if (error) reject((error as { code?: string }).code ? error : unavailable(error));
        else resolve(connection);
      });
    });
  }
}

class MysqlSession implements LoanedSession {
  private abort?: (error: Error) => void;
  /** Started anew by each statement: the driver would make a timer, and copy its options, for every single one. */
  private readonly watchdog = setTimeout(() => this.abort?.(tooSlow()), STATEMENT_TIMEOUT_MS);

  constructor(
    private readonly connection: PoolConnection,
    private readonly tally: Tally,
    private readonly onEnd: () => void,
  ) {}

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.send<Row[]>(sql, parameters);
  }

  async row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return (await this.rows(sql, parameters))[0];
  }

  run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    return this.send<WriteResult>(sql, parameters);
  }

  async begin(): Promise<void> {
    await this.run(mysqlDialect.begin, []);
  }

  async commit(): Promise<void> {
    await this.run('COMMIT', []);
  }

  async rollBack(): Promise<void> {
    await this.run('ROLLBACK', []);
  }

  private send<T>(sql: string, values: Parameter[]): Promise<T> {
    this.tally.statements++;
    return new Promise((resolve, reject) => {
      this.abort = reject;
      this.watchdog.refresh();
      this.connection.query(sql, values, (error, result) => {
        if (error) reject(error);
        else resolve(result as T);
      });
    });
  }

  release(): void {
    clearTimeout(this.watchdog);
    this.connection.release();
    this.onEnd();
  }

  destroy(): void {
    clearTimeout(this.watchdog);
    this.connection.destroy();
    this.onEnd();
  }
}

/** As the driver's own: whether the statement had an effect is unknown. */
const tooSlow = (): Error =>
  Object.assign(new Error('the database did not answer in time'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
