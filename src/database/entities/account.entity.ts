import { EntitySchema } from 'typeorm';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { ColumnTypes } from './columns.js';

/** A user's account: the clock, the lock for writers, and the number of live articles. */
export class Account {
  /** 16 bytes: an HMAC of scheme and identity. */
  account: Buffer;
  last_modified: Timestamp;
  live_count: number;
  /** Tombstones up to this timestamp may have been purged. */
  purged_until: Timestamp;
  /** Marks of the last transactions (`accounts/tick.ts`); null before the first one. */
  recent_writes: string | null;
}

export const accountEntity = ({ bytes, integer, bigInteger, text }: ColumnTypes) =>
  new EntitySchema<Account>({
    target: Account,
    name: 'Account',
    tableName: 'accounts',
    withoutRowid: true,
    columns: {
      account: { ...bytes(16), primary: true },
      last_modified: bigInteger,
      live_count: integer,
      purged_until: { ...bigInteger, default: 0 },
      recent_writes: { ...text(192), nullable: true },
    },
  });

/** A user whose tokens are refused. The user's account need not exist. */
export class Deprovisioned {
  account: Buffer;
  since: Timestamp;
  /** When the list is to be erased; null if it is kept, or erased already. */
  erase_on: Timestamp | null;
}

export const deprovisionedEntity = ({ bytes, bigInteger }: ColumnTypes) =>
  new EntitySchema<Deprovisioned>({
    target: Deprovisioned,
    name: 'Deprovisioned',
    tableName: 'deprovisioned',
    withoutRowid: true,
    columns: {
      account: { ...bytes(16), primary: true },
      since: bigInteger,
      erase_on: { ...bigInteger, nullable: true },
    },
  });
