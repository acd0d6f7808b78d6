import { randomUUID } from 'node:crypto';
import type { Witness } from '../database/transaction.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** Transactions whose marks an account keeps. */
const KEPT = 8;
/** A mark begins with the timestamp, in so many digits. */
export const TIME_LENGTH = 16;
/** The tag follows. */
const TAG_LENGTH = 8;
const MARK_LENGTH = TIME_LENGTH + TAG_LENGTH;

/** The length of the column `recent_writes`. */
export const MARKS_LENGTH = KEPT * MARK_LENGTH;

/** The random part of a mark: of a UUID, as Node draws the random bytes of many at once. */
export const newTag = (): string => randomUUID().slice(0, TAG_LENGTH);

/** What a transaction leaves in its account: the timestamp that it issued, and a tag that no other transaction has. */
export const writeMark = (timestamp: Timestamp, tag: string): string =>
  String(timestamp).padStart(TIME_LENGTH, '0') + tag;

/** Whether a mark is among its account's, the latest first; undefined when so many followed that it would be gone. */
export function tookPlace(marks: string, mark: string): boolean | undefined {
  for (let at = 0; at < marks.length; at += MARK_LENGTH) if (marks.startsWith(mark, at)) return true;
  const oldest = marks.slice(-MARK_LENGTH);
  const isComplete = marks.length < MARKS_LENGTH || oldest.slice(0, TIME_LENGTH) < mark.slice(0, TIME_LENGTH);
  return isComplete ? false : undefined;
}

/** Looks for the mark in the account. Only on a server: SQLite's COMMIT always tells whether it took place. */
export const witnessOf =
  (account: Buffer, mark: string): Witness =>
  async (transaction: Session) => {
    const row = await transaction.row('SELECT recent_writes FROM accounts WHERE account = ? FOR UPDATE', [account]);
    return tookPlace(String(row?.recent_writes ?? ''), mark);
  };
