import mysql, { type PoolConnection, type ResultSetHeader } from 'mysql2';
import { holderParameters, newRow, type Row, SQL, type Value } from './rows.js';
import type { LimitStore } from './store.js';

const TICK = `INSERT INTO accounts (account, last_modified, live_count) VALUES (?, LAST_INSERT_ID(?), ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?))`;

type Send = <T = Row[]>(sql: string, values?: Value[]) => Promise<T>;

/** Plain mysql2: a pool, statements, nothing else. */
export function mysqlStore(url: string, connectionLimit: number): LimitStore {
  const pool = mysql.createPool({ uri: url, connectionLimit, charset: 'utf8mb4', supportBigNumbers: true });
  const borrow = () =>
    new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });

  async function using<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const connection = await borrow();
    const send: Send = (sql, values = []) =>
      new Promise((resolve, reject) => {
        connection.query(sql, values, (error, result) => (error ? reject(error) : resolve(result as never)));
      });
    try {
      return await work(send);
    } finally {
      connection.release();
    }
  }

  const writing = <T>(account: Buffer, delta: number, work: (send: Send, time: number) => Promise<T>): Promise<T> =>
    using(async (send) => {
      await send('START TRANSACTION');
      try {
        const now = Date.now();
        const { insertId } = await send<ResultSetHeader>(TICK, [account, now, delta, delta, now]);
        const result = await work(send, insertId);
        await send('COMMIT');
        return result;
      } catch (error) {
        await send('ROLLBACK');
        throw error;
      }
    });

  const isTaken = (error: unknown) => (error as { errno?: number }).errno === 1062;

  return {
    clock: (account) => using(async (send) => (await send(SQL.clock, [account]))[0]!),
    one: (account, id) => using(async (send) => (await send(SQL.one, [account, id]))[0]!),
    list: (account, limit) =>
      using(async (send) => [(await send(SQL.clock, [account]))[0]!, await send(SQL.list, [account, limit])]),
    since: (account, since, limit) =>
      using(async (send) => [
        (await send(SQL.clock, [account]))[0]!,
        await send(SQL.since, [account, since, account, since, limit]),
      ]),
    countUnread: (account) => using(async (send) => (await send(SQL.countUnread, [1, account]))[0]!),
    create: async (account, posted, isExpected) => {
      const find = () => using((send) => send(SQL.holder, holderParameters(account, posted)));
      const [expected] = isExpected ? await find() : [];
      if (expected) return { created: false, row: expected };
      const row = newRow(posted, Date.now());
      try {
        await writing(account, 1, (send, time) => {
          row.last_modified = time;
          return send(SQL.insert, [account, ...Object.values(row)]);
        });
        return { created: true, row };
      } catch (error) {
        if (!isTaken(error)) throw error;
        const [holder] = await find();
        return { created: false, row: holder! };
      }
    },
    createAll: (account, posted) =>
      using(async (send) => {
        await send('START TRANSACTION');
        try {
          const [clock] = await send(`${SQL.clock} FOR UPDATE`, [account]);
          let last = clock!.last_modified as number;
          const results: { created: boolean; row: Row }[] = [];
          for (const one of posted) {
            const row = { ...newRow(one, Date.now()), last_modified: Math.max(last + 1, Date.now()) };
            try {
              await send(SQL.insert, [account, ...Object.values(row)]);
              last = row.last_modified;
              results.push({ created: true, row });
            } catch (error) {
              if (!isTaken(error)) throw error;
              const [holder] = await send(SQL.holder, holderParameters(account, one));
              results.push({ created: false, row: holder! });
            }
          }
          await send(SQL.settle, [last, results.filter(({ created }) => created).length, account]);
          await send('COMMIT');
          return results;
        } catch (error) {
          await send('ROLLBACK');
          throw error;
        }
      }),
    retitle: (account, id, title) =>
      writing(account, 0, async (send, time) => {
        const [row] = await send(SQL.one, [account, id]);
        await send(SQL.retitle, [title, time, account, id]);
        return { ...row!, title, last_modified: time };
      }),
    bury: (account, id) =>
      writing(account, -1, async (send, time) => {
        await send(SQL.bury, [time, account, id]);
        return time;
      }),
  };
}
