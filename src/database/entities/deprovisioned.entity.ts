import { EntitySchema } from 'typeorm';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { ColumnTypes } from './columns.js';

/** A user whose tokens are refused. The user's account need not exist. */
export class Deprovisioned {
  account: Buffer;
  since: Timestamp;
  /** When the list is to be erased; null if it is kept, or erased already. */
  erase_on: Timestamp | null;
}

export const deprovisionedEntity = ({ bytes, bigInteger }: ColumnTypes): EntitySchema<Deprovisioned> =>
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
