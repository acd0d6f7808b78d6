import type { DataSource } from 'typeorm';

/** A row as the driver gives it: integers as numbers, binary columns as Buffers. */
export type Row = Record<string, string | number | Buffer | null>;

export type Parameter = string | number | Buffer | null;

/** What a statement that returns no rows did; `insertId` only on MySQL and MariaDB. */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/** Says after which row no more are wanted. */
export type IsLast = (row: Row) => boolean;

/** The rows through the last one, for a driver that cannot stop there by itself. */
export function through(rows: Row[], isLast?: IsLast): Row[] {
  const last = isLast ? rows.findIndex(isLast) : -1;
  return last < 0 ? rows : rows.slice(0, last + 1);
}

/** One session of the database: its statements run one after the other and see each other's effects. */
export interface Session {
  /** Where TypeORM keeps the entities: `managerOn` and `keptStatement` need it, its own connections are nobody's. */
  readonly dataSource: DataSource;
  /** @param isLast is shown each row once and in order, and true for one after which no more are wanted */
  rows(sql: string, parameters: Parameter[], isLast?: IsLast): Promise<Row[]>;
  /** The first row. */
  row(sql: string, parameters: Parameter[]): Promise<Row | undefined>;
  run(sql: string, parameters: Parameter[]): Promise<WriteResult>;
}

/** A session on loan: it has to be given back, or destroyed when its state is unknown. */
export interface LoanedSession extends Session {
  begin(): Promise<void>;
  /** Resolves once the transaction is durable. */
  commit(): Promise<void>;
  /** Rejects when what the transaction read may not last. */
  rollBack(): Promise<void>;
  release(): void;
  destroy(): void;
}

/** Counts the statements that are sent on somebody's behalf. */
export interface Tally {
  statements: number;
  /** The user whose data the statements are about: nobody gets all sessions. */
  account?: Buffer;
}

/**
 * What a session is wanted for: a transaction is begun only where it is to write, and a `scan` is a read whose cost grows with
 * the collection.
 */
export type Purpose = 'read' | 'write' | 'scan';

/** Where sessions come from, and what differs between databases. */
export interface SessionSource {
  readonly dialect: Dialect;
  /** Waits a bounded time for a free session; rejects with a failure that `classify` knows. */
  acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession>;
  /** How many sessions are in use and how many callers wait for one. */
  usage(): { used: number; waiting: number };
  /** Ends what the source has begun beside the sessions. */
  close?(): Promise<void>;
}

/** What differs between MySQL / MariaDB and SQLite. */
export interface Dialect {
  readonly begin: string;
  /** Statements run in this very process: long ones are kept away from the event loop. */
  readonly isLocal: boolean;
  /** The index a listing is to use, as a clause after the table name. */
  readonly indexHint: (index: string) => string;
  classify(error: unknown): Failure;
  /** An expression that is 1 while the server takes no writes, as far as that can be asked, else 0. */
  readonly isReadOnly: string;
}

/**
 * What a failed statement means: `duplicate` a unique key is taken, `retry` the transaction lost a race and can start
 * again, `slow` the statement took too long, `lost` the connection is unusable and the fate of a COMMIT unknown, `away` the
 * database cannot serve now, `broken` nor will it until somebody mends it, `bug` anything else.
 */
export type Failure = 'duplicate' | 'retry' | 'slow' | 'lost' | 'away' | 'broken' | 'bug';
