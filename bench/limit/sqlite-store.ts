import Sqlite from 'better-sqlite3';
import { SqliteStatement } from '../../src/database/sqlite/connection.js';
import { holderParameters, newRow, SQL } from './rows.js';
import type { LimitStore } from './store.js';

const TICK = `INSERT INTO accounts (account, last_modified, live_count) VALUES (?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) RETURNING last_modified`;

/** Plain better-sqlite3: one handle, with statements read like in the service, and the same settings of the file. */
export function sqliteStore(path: string): LimitStore {
  const handle = new Sqlite(path, { timeout: 200 });
  handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  const prepare = (sql: string) => new SqliteStatement(handle.prepare(sql));
  const [clock, one, list, since] = [SQL.clock, SQL.one, SQL.list, SQL.since].map(prepare);
  const [count, insert, holder] = [SQL.countUnread, SQL.insert, SQL.holder].map(prepare);
  const [retitle, bury, tick] = [SQL.retitle, SQL.bury, TICK].map(prepare);
  const settle = prepare(SQL.settle);
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map(prepare);

  function writing<T>(account: Buffer, delta: number, work: (time: number) => T): T {
    begin!.run();
    try {
      const result = work(tick!.get(account, Date.now(), delta)!.last_modified as number);
      commit!.run();
      return result;
    } catch (error) {
      rollback!.run();
      throw error;
    }
  }

  return {
    clock: (account) => Promise.resolve(clock!.get(account)!),
    one: (account, id) => Promise.resolve(one!.get(account, id)!),
    list: (account, limit) => Promise.resolve([clock!.get(account)!, list!.all(account, limit)]),
    since: (account, time, limit) =>
      Promise.resolve([clock!.get(account)!, since!.all(account, time, account, time, limit)]),
    countUnread: (account) => Promise.resolve(count!.get(1, account)!),
    create: (account, posted, isExpected) => {
      const find = () => holder!.get(...holderParameters(account, posted));
      const expected = isExpected ? find() : undefined;
      if (expected) return Promise.resolve({ created: false, row: expected });
      const row = newRow(posted, Date.now());
      try {
        writing(account, 1, (time) => {
          row.last_modified = time;
          insert!.run(account, ...Object.values(row));
        });
        return Promise.resolve({ created: true, row });
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE')
          return Promise.reject(error instanceof Error ? error : new Error(String(error)));
        return Promise.resolve({ created: false, row: find()! });
      }
    },
    createAll: (account, posted) => {
      begin!.run();
      try {
        let last = clock!.get(account)!.last_modified as number;
        const results = posted.map((one) => {
          const row = { ...newRow(one, Date.now()), last_modified: Math.max(last + 1, Date.now()) };
          try {
            insert!.run(account, ...Object.values(row));
            last = row.last_modified;
            return { created: true, row };
          } catch (error) {
            if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
            return { created: false, row: holder!.get(...holderParameters(account, one))! };
          }
        });
        settle.run(last, results.filter(({ created }) => created).length, account);
        commit!.run();
        return Promise.resolve(results);
      } catch (error) {
        rollback!.run();
        throw error;
      }
    },
    retitle: (account, id, title) =>
      Promise.resolve(
        writing(account, 0, (time) => {
          const row = one!.get(account, id)!;
          retitle!.run(title, time, account, id);
          return { ...row, title, last_modified: time };
        }),
      ),
    bury: (account, id) =>
      Promise.resolve(
        writing(account, -1, (time) => {
          bury!.run(time, account, id);
          return time;
        }),
      ),
  };
}
