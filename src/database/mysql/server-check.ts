import type { Connection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { SettingError } from '../../config/settings.js';

/**
 * What a statement may need: a record takes up to 100 kB; the filters of a listing, which stand in its statement twice
 * and may take two bytes a character there, up to four times a request's 64 KiB of headers.
 */
export const LARGEST_STATEMENT = 2 ** 19;

/** The `max_allowed_packet` of each connection that is ready, in bytes: a server may have another one for later ones. */
export const packetLimits = new WeakMap<Connection, number>();

/**
 * A warning about a setting of the server that does not go with the service. Throws `SettingError` for one with which it
 * cannot write.
 */
export async function examineServer(dataSource: DataSource): Promise<string | undefined> {
  const rows = await dataSource.query<{ Variable_name: string; Value: string }[]>(
    "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'max_allowed_packet')",
  );
  const variables = new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
  if (variables.get('log_bin') === 'ON' && variables.get('binlog_format') === 'STATEMENT')
    throw new SettingError(
      'DATABASE_URL: the server has binlog_format=STATEMENT, which cannot log transactions in READ COMMITTED; ' +
        'set binlog_format=ROW or MIXED there',
    );
  const largest = Number(variables.get('max_allowed_packet') ?? Infinity);
  if (largest >= LARGEST_STATEMENT) return undefined;
  return (
    `DATABASE_URL: a statement of the service may have ${LARGEST_STATEMENT} bytes, but the server takes at most ` +
    `${largest} (max_allowed_packet); raise that there, otherwise some requests are 413`
  );
}
