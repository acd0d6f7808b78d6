import { EntitySchema } from 'typeorm';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { ColumnTypes } from './columns.js';

/** A personal token of a user. It gives no access by itself, as only the hash of the token is stored. */
export class Token {
  /** The user's name, chosen by the operator. */
  subject: string;
  /** What the token is for, such as a device. */
  name: string;
  /** SHA-256, 32 bytes. */
  token_hash: Buffer;
  created_on: Timestamp;
  expires_on: Timestamp | null;
  /** Accurate to the hour; null if never used. */
  last_used_on: Timestamp | null;
  /** Null counts as false. */
  read_only: boolean | null;
}

export const tokenEntity = ({ bytes, bigInteger, boolean, text }: ColumnTypes) =>
  new EntitySchema<Token>({
    target: Token,
    name: 'Token',
    tableName: 'tokens',
    withoutRowid: true,
    columns: {
      subject: { ...text(255), primary: true },
      name: { ...text(255), primary: true },
      token_hash: bytes(32),
      created_on: bigInteger,
      expires_on: { ...bigInteger, nullable: true },
      last_used_on: { ...bigInteger, nullable: true },
      read_only: { ...boolean, nullable: true },
    },
    indices: [{ name: 'uq_tokens_token_hash', columns: ['token_hash'], unique: true }],
  });
