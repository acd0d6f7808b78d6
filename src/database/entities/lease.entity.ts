import { EntitySchema } from 'typeorm';
import type { ColumnTypes } from './columns.js';

/** A task that only one process may run at a time: who runs it, and until when nobody else may. */
export class Lease {
  task: string;
  /** Identifies the process. */
  holder: string;
  /** Milliseconds since the Unix epoch. */
  expires_on: number;
}

export const leaseEntity = ({ text, fixedText, bigInteger }: ColumnTypes): EntitySchema<Lease> =>
  new EntitySchema<Lease>({
    target: Lease,
    name: 'Lease',
    tableName: 'leases',
    withoutRowid: true,
    columns: { task: { ...text(64), primary: true }, holder: fixedText(36), expires_on: bigInteger },
  });
