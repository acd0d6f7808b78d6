import type { Database } from '../../database/database.js';
import { Token } from '../../database/entities.js';
import { committed, managerOn, type Session, type Witness } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';

const ONE =
  'SELECT subject, name, token_hash, created_on, expires_on, last_used_on, read_only FROM tokens WHERE token_hash = ?';

const NOTE_USE =
  'UPDATE tokens SET last_used_on = ? WHERE token_hash = ? AND ' +
  '(last_used_on IS NULL OR last_used_on <= ? OR last_used_on > ?)';

/** The token with this SHA-256. */
export async function findToken(session: Session, hash: Buffer): Promise<Token | undefined> {
  return (await session.row(ONE, [hash])) as Token | undefined;
}

/** The tokens of one user, or of all users, ordered by user and name. */
export const listTokens = (session: Session, subject?: string): Promise<Token[]> =>
  managerOn(session).find(Token, {
    where: subject === undefined ? {} : { subject },
    order: { subject: 'ASC', name: 'ASC' },
  });

/** Adds a token. Rejects with a `duplicate` failure when the user already has one with that name. */
export async function insertToken(session: Session, token: Token): Promise<void> {
  await managerOn(session).createQueryBuilder().insert().into(Token).values(token).updateEntity(false).execute();
}

/** Tells whether a token was added when the reply to COMMIT is lost, on a server. */
export const hasToken =
  (hash: Buffer): Witness =>
  async (transaction) =>
    (await transaction.row('SELECT 1 FROM tokens WHERE token_hash = ? FOR UPDATE', [hash])) !== undefined;

/** Deletes one token of a user, or all of them; returns how many. */
export function deleteTokens(database: Database, subject: string, name?: string): Promise<number> {
  const tokens = name === undefined ? { subject } : { subject, name };
  let deleted = 0;
  return database.inTransaction(async (transaction) => {
    // A repetition after a lost reply to COMMIT may find them gone.
    deleted = Math.max(deleted, (await managerOn(transaction).delete(Token, tokens)).affected!);
    return committed(deleted);
  });
}

/** Records a use unless another instance did so less than `restMs` ago, but overwrites a time in the future (a wrong clock). */
export async function noteUse(session: Session, hash: Buffer, now: Timestamp, restMs: number): Promise<void> {
  await session.run(NOTE_USE, [now, hash, now - restMs, now + restMs]);
}
