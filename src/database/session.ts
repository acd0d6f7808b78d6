import type { DataSource } from 'typeorm';
import { type ApiError, serviceUnavailable } from '../protocol/api-error.js';

/** A row as the driver returns it: integers as numbers, binary columns as Buffers. */
export type Row = Record<string, string | number | Buffer | null>;

export type Parameter = string | number | Buffer | null;

/** Has an `insertId` only on MySQL and MariaDB. */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/** One session of the database: its statements run one after the other and see each other's effects. */
export interface Session {
  /** TypeORM's metadata, for `managerOn`; do not use its connections. */
  readonly dataSource: DataSource;
  readonly dialect: Dialect;
  rows(sql: string, parameters: Parameter[]): Promise<Row[]>;
  row(sql: string, parameters: Parameter[]): Promise<Row | undefined>;
  run(sql: string, parameters: Parameter[]): Promise<WriteResult>;
  /** Like `run` for an INSERT whose values are one row, which it may send later together with others. */
  insertRow?(insert: string, row: Parameter[]): Promise<void>;
  /** Look for a duplicate before writing: a write that fails locks the gap to the previous user until the transaction ends. */
  readonly looksFirst?: boolean;
}

/** The placeholders of a row, or of the values after IN. */
export const placeholders = (values: readonly unknown[]): string => `(${values.map(() => '?').join(', ')})`;

/** A borrowed session: it has to be released, or destroyed when its state is unknown. */
export interface LoanedSession extends Session {
  /** Begins a transaction unless it has begun. Until then each statement is one. `isLong`: it may have many statements. */
  begin(isLong?: boolean): Promise<void>;
  /** Resolves once the transaction is durable. */
  commit(): Promise<void>;
  /** Rejects when the transaction may have read data that is lost. */
  rollBack(): Promise<void>;
  release(): void;
  destroy(): void;
}

/** Counts and limits the statements of a request. */
export interface Tally {
  statements: number;
  /** Aborted when nobody waits for the request any more; read only when it has to wait. */
  readonly signal?: AbortSignal;
  /** The user whose data the statements access: no user may occupy all sessions. */
  readonly key?: string;
  deadline?: number;
  /** Where the statements run instead of on a session of their own: the transaction of the batch that the request is in. */
  readonly shared?: Session;
}

const LAST_STATEMENT_MS = 6_500;
/** When a user's request may send its last statement, of up to three seconds, to be over within ten: set by the first call. */
export const deadlineOf = (tally: Tally): number =>
  tally.key === undefined ? Infinity : (tally.deadline ??= performance.now() + LAST_STATEMENT_MS);

/** How many sessions are in use, and how many callers wait for one, or for others of the same user. */
export interface Usage {
  used: number;
  waiting: number;
  queued: number;
}

/** A source of sessions, with the dialect of its database. */
export interface SessionSource {
  readonly dialect: Dialect;
  /** Waits a bounded time. After the deadline, by `performance.now()`, the session begins nothing that may take long. */
  acquire(tally: Tally, deadline: number): Promise<LoanedSession>;
  readonly usage: Readonly<Usage>;
  /** Closes what the data source does not know of. */
  close?(): void;
}

/**
 * Tells whether a transaction took place whose COMMIT got no reply; undefined when nothing can tell. Runs in the
 * transaction that repeats it, and has to lock a row that both write: the lost one may be ending only now.
 */
export type Witness = (transaction: Session) => Promise<boolean | undefined>;

/** The outcome of a transaction: its result, and whether its changes are kept. */
export interface Outcome<T> {
  result: T;
  isKept: boolean;
  witness?: Witness;
  /** Called once it is known that the changes are durable. */
  whenDurable?: () => void;
}

/** Ends a transaction with COMMIT. Running it twice must be harmless, unless a witness tells that it took place. */
export const committed = <T>(result: T, witness?: Witness): Outcome<T> => ({ result, isKept: true, witness });

/** Ends a successful transaction with ROLLBACK: there is nothing to keep. */
export const discarded = <T>(result: T): Outcome<T> => ({ result, isKept: false });

/** What differs between MySQL / MariaDB and SQLite. */
export interface Dialect {
  /** True on SQLite: statements run in this process, and a transaction that writes locks everything. */
  readonly isLocal: boolean;
  readonly indexHint: (index: string) => string;
  classify(error: unknown): Failure;
  /** An expression that is 1 while the server reports that it refuses writes, otherwise 0. */
  readonly isReadOnly: string;
}

/** What a failed statement means. */
export type Failure =
  | 'duplicate' // a unique key is taken
  | 'retry' // the transaction lost a race and can be retried
  | 'slow' // the statement took too long
  | 'lost' // the connection is unusable and the outcome of a COMMIT unknown
  | 'away' // the database cannot serve at the moment
  | 'broken' // the database cannot serve until it is repaired
  | 'bug'; // anything else

/** 503 / 201: the database is not available, and retrying within this request does not help. */
export const unavailable = (cause: unknown): ApiError =>
  serviceUnavailable('The database is not available; try again later', cause);
