import { countDeleted } from '../../accounts/accounts.store.js';
import type { Database } from '../../database/database.js';
import { Token } from '../../database/entities/token.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import type { Session, Witness } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';

/** The token with this SHA-256. */
export async function findToken(session: Session, hash: Buffer): Promise<Token | undefined> {
  const columns = 'subject, name, token_hash, created_on, expires_on, last_used_on, read_only';
  return (await session.row(`SELECT ${columns} FROM tokens WHERE token_hash = ?`, [hash])) as Token | undefined;
}

/** The tokens of one user, or of all users, ordered by user and name. */
export const listTokens = (session: Session, subject?: string): Promise<Token[]> =>
  managerOn(session).find(Token, {
    where: subject === undefined ? {} : { subject },
    order: { subject: 'ASC', name: 'ASC' },
  });

/** Adds a token. Rejects with a `duplicate` failure when the user already has one with that name. */
export const insertToken = (session: Session, token: Token) =>
  managerOn(session).createQueryBuilder().insert().into(Token).values(token).updateEntity(false).execute();

/** Tells whether a token was added when the reply to COMMIT is lost, on a server. */
export const hasToken =
  (hash: Buffer): Witness =>
  async (transaction) =>
    (await transaction.row('SELECT 1 FROM tokens WHERE token_hash = ? FOR UPDATE', [hash])) !== undefined;

/** Deletes one token of a user, or all of them; returns how many. */
export function deleteTokens(database: Database, subject: string, name?: string): Promise<number> {
  const tokens = name === undefined ? { subject } : { subject, name };
  return countDeleted(database, async (transaction) => (await managerOn(transaction).delete(Token, tokens)).affected!);
}

/** Records a use unless another instance did so less than `restMs` ago, but overwrites a time in the future (a wrong clock). */
export async function noteUse(session: Session, hash: Buffer, now: Timestamp, restMs: number): Promise<void> {
  const isDue = '(last_used_on IS NULL OR last_used_on <= ? OR last_used_on > ?)';
  const sql = `UPDATE tokens SET last_used_on = ? WHERE token_hash = ? AND ${isDue}`;
  await session.run(sql, [now, hash, now - restMs, now + restMs]);
}
