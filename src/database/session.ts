/** A row as the driver gives it: integers as numbers, binary columns as Buffers. */
export type Row = Record<string, string | number | Buffer | null>;

export type Parameter = string | number | Buffer | null;

/** What a statement that returns no rows did; `insertId` only on MySQL and MariaDB. */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/** One session of the database: its statements run one after the other and see each other's effects. */
export interface Session {
  rows(sql: string, parameters: Parameter[]): Promise<Row[]>;
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
}

/** What a session is wanted for: a transaction is begun only where it is to write. */
export type Purpose = 'read' | 'write';

/** Where sessions come from, and what differs between databases. */
export interface SessionSource {
  readonly dialect: Dialect;
  /** Waits a bounded time for a free session; rejects with a failure that `classify` knows. */
  acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession>;
  /** How many sessions are in use and how many callers wait for one. */
  usage(): { used: number; waiting: number };
}

/** A new timestamp is to be given out: to whom, when, and what becomes of the number of live articles. */
export interface ClockTick {
  account: Buffer;
  now: number;
  liveDelta: number;
  /** Give none out when the account changed after this timestamp. */
  ifUnmodifiedSince?: number;
}

/** The statements and error classes in which MySQL / MariaDB and SQLite differ. */
export interface Dialect {
  readonly begin: string;
  /**
   * Locks the account and advances its clock; undefined when `ifUnmodifiedSince` forbids it. A new account is one whose
   * tombstones are gone up to now: it may have been there before, and been erased or lost.
   */
  tick(session: Session, tick: ClockTick): Promise<number | undefined>;
  /** Adds an account unless it is there: key, `last_modified`, `purged_until`. */
  readonly insertAccount: string;
  /** The index a listing is to use, as a clause after the table name. */
  readonly indexHint: (index: string) => string;
  classify(error: unknown): Failure;
}

/**
 * What a failed statement means: `duplicate` a unique key is taken, `retry` the transaction lost a race and can start
 * again, `lost` the connection is unusable and the fate of a COMMIT unknown, `away` the database can not serve now,
 * `bug` anything else.
 */
export type Failure = 'duplicate' | 'retry' | 'lost' | 'away' | 'bug';
