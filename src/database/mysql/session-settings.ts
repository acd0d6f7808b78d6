/** A statement that every new connection runs before its first use. */
interface SessionSetting {
  sql: string;
  /** Whether a server may do without the variable. */
  isOptional?: true;
}

const VARIABLES = {
  // Values that do not fit are errors; nothing else that a mode changes is in force.
  sql_mode: "'STRICT_ALL_TABLES'",
  time_zone: "'+00:00'",
  // Otherwise the first read would begin a transaction, and COMMIT another one.
  autocommit: '1',
  completion_type: '0',
  // Whatever the server allows its other users: no limit on what a statement reads or writes.
  sql_big_selects: '1',
  sql_select_limit: '18446744073709551615',
  sql_safe_updates: '0',
  unique_checks: '1',
  innodb_lock_wait_timeout: '3',
  // Sort keys as long as the longest field (by default only 1,024 bytes count), and room for several of them.
  max_sort_length: '8192',
  sort_buffer_size: '4194304',
};

/**
 * All that the service relies on in a session, whatever the defaults of the server are (`docs/operations.md`, "The
 * database server").
 */
export const SESSION: readonly SessionSetting[] = [
  { sql: 'SET NAMES utf8mb4 COLLATE utf8mb4_bin' },
  {
    sql: `SET SESSION ${Object.entries(VARIABLES)
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ')}`,
  },
  // ADR 12. The variable has different names on MySQL and MariaDB, this statement is the same.
  { sql: 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE' },
  // On a Galera cluster a read waits for what other nodes have acknowledged.
  { sql: 'SET SESSION wsrep_sync_wait = 1', isOptional: true },
];
