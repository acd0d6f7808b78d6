import type { Posted, Row } from './rows.js';

/** The database operations of the limit server, each with the fewest statements that do the same durable work. */
export interface LimitStore {
  clock(account: Buffer): Promise<Row>;
  one(account: Buffer, id: Buffer): Promise<Row>;
  /** The account's row and the newest live articles. */
  list(account: Buffer, limit: number): Promise<[Row, Row[]]>;
  since(account: Buffer, since: number, limit: number): Promise<[Row, Row[]]>;
  /** The account's timestamp and the number of unread articles. */
  countUnread(account: Buffer): Promise<Row>;
  /** The new row, or the one that holds the URL, which is looked up first where it is likely. */
  create(account: Buffer, posted: Posted, isExpected: boolean): Promise<{ created: boolean; row: Row }>;
  /** The same for several in one transaction, none of which is looked up first. */
  createAll(account: Buffer, posted: Posted[]): Promise<{ created: boolean; row: Row }[]>;
  retitle(account: Buffer, id: Buffer, title: string): Promise<Row>;
  /** The tombstone's timestamp. */
  bury(account: Buffer, id: Buffer): Promise<number>;
}
