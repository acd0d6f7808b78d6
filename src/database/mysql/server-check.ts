import type { DataSource } from 'typeorm';
import { SettingError, type Settings } from '../../config/settings.js';

/**
 * Warnings about settings of the server that do not go with those of the service. Throws `SettingError` for one with which
 * it cannot write.
 */
export async function examineServer(dataSource: DataSource, { maxBodyBytes }: Settings): Promise<string[]> {
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
  if (largest >= maxBodyBytes) return [];
  return [
    `MAX_BODY_BYTES: requests of up to ${maxBodyBytes} bytes are accepted, but the server takes statements of at most ` +
      `${largest} (max_allowed_packet); raise that or lower MAX_BODY_BYTES`,
  ];
}
