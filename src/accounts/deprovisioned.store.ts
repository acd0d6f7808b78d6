import { In, LessThanOrEqual } from 'typeorm';
import { Deprovisioned } from '../database/entities.js';
import { managerOn, type Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** The keys of all users whose tokens are refused. */
export async function deprovisionedAccounts(session: Session): Promise<Buffer[]> {
  const rows = await session.rows('SELECT account FROM deprovisioned', []);
  return rows.map(({ account }) => account as Buffer);
}

export const isDeprovisioned = (session: Session, account: Buffer): Promise<boolean> =>
  managerOn(session).existsBy(Deprovisioned, { account });

/** Refuses the tokens of users from now on, and sets or clears when their lists are erased. */
export async function deprovision(session: Session, users: Deprovisioned[]): Promise<void> {
  await managerOn(session).upsert(Deprovisioned, users, ['account']);
}

/** Accepts the users' tokens again; returns how many of the users were deprovisioned. */
export async function readmit(session: Session, accounts: Buffer[]): Promise<number> {
  return (await managerOn(session).delete(Deprovisioned, { account: In(accounts) })).affected!;
}

/** A user whose list is due for erasure, if there is one. */
export async function nextToErase(session: Session, now: Timestamp): Promise<Buffer | undefined> {
  const due = await managerOn(session).findOneBy(Deprovisioned, { erase_on: LessThanOrEqual(now) });
  return due?.account;
}

/** Whether the user's list is still due for erasure: the user may be readmitted while it is being erased. */
export const isDue = (session: Session, account: Buffer, now: Timestamp): Promise<boolean> =>
  managerOn(session).existsBy(Deprovisioned, { account, erase_on: LessThanOrEqual(now) });

/** Notes that the user's list is erased, unless the erasure has been put off meanwhile. */
export async function noteErased(session: Session, account: Buffer, now: Timestamp): Promise<void> {
  await managerOn(session).update(Deprovisioned, { account, erase_on: LessThanOrEqual(now) }, { erase_on: null });
}
