import { randomUUID } from 'node:crypto';
import { recount } from '../../accounts/account-checks.store.js';
import { raiseTimestamps } from '../../accounts/accounts.store.js';
import { tick } from '../../accounts/tick.js';
import { urlHash } from '../../articles/store/article.row.js';
import type { Parameter, Row, Session } from '../../database/session.js';
import type { ArticleField } from '../../protocol/fields.js';
import { uuidBytes } from '../../protocol/uuid.js';
import { writeColumns } from './checks.store.js';
import type { ExaminedAccount } from './examined-account.js';
import { type Faults, isLive, replacementFor } from './record-damage.js';

const OWN_RULES = new Set(['id', 'last_modified', 'deleted']);

/**
 * Replaces faulty values and gives the record a new timestamp, so that devices learn of it. The account must be locked.
 */
export async function repairRecord(
  transaction: Session,
  examined: ExaminedAccount,
  row: Row,
  faults: Faults,
): Promise<void> {
  const { account, clock } = examined;
  const { timestamp } = (await tick(transaction, { account, now: clock(), liveDelta: 0 }))!;
  const values: Record<string, Parameter> = { last_modified: timestamp };
  for (const field of Object.keys(faults).filter((name) => !OWN_RULES.has(name)) as ArticleField[])
    values[field] = replacementFor(field, row, timestamp);
  if (faults.resolved_url) values.resolved_url_hash = urlHash(values.resolved_url as string);
  if (faults.deleted) values.deleted = isLive(row) ? 0 : 1;
  if (faults.id) values.id = uuidBytes(randomUUID());
  await writeColumns(transaction, account, row.id!, values);
  // Only starting over tells devices that a record has another id.
  if (faults.id) await raiseTimestamps(transaction, account, timestamp, timestamp);
  if (faults.deleted) await recount(transaction, account);
}

/** Writes the hashes of a record's URLs. */
export async function repairHashes(transaction: Session, account: Buffer, row: Row): Promise<void> {
  await writeColumns(transaction, account, row.id!, {
    url_hash: urlHash(row.url as string),
    resolved_url_hash: urlHash(row.resolved_url as string),
  });
}
