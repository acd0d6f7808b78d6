import { randomUUID } from 'node:crypto';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { cutConnections } from './data-source.js';
import { mysqlDialect } from './mysql/dialect.js';

const RENEW_MS = 1_000;
const LOOK_MS = 500;
/** After this many looks in a row at an unchanged row, its holder counts as dead. */
const LOOKS = 20;
/** After this many failed renewals in a row, a holder stops, before anybody takes over. One that hangs has not failed. */
const MOST_FAILURES = 7;

const CREATE = `CREATE TABLE IF NOT EXISTS \`leases\` (
  task VARCHAR(64) NOT NULL PRIMARY KEY, holder CHAR(36) NOT NULL, expires_on BIGINT NOT NULL) ENGINE=InnoDB`;
const TASK = 'migrate';

/** `expires_on` is by the holder's clock. Others cannot compare it with theirs: only its changes show a live holder. */
type Lease = { holder: string; expires_on: number };

/**
 * Runs `work` while no other process runs its own, on whichever node of a cluster: a lock of the server would hold on
 * one node only. The holder renews its row; whoever sees it unchanged for ten seconds takes over. Needs two connections.
 */
export async function withMigrationLock<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  await dataSource.query(CREATE);
  await acquire(dataSource, holder);
  const renewing = new AbortController();
  void renew(dataSource, holder, renewing.signal);
  try {
    return await work();
  } finally {
    renewing.abort();
    await dataSource.query('DELETE FROM `leases` WHERE task = ? AND holder = ?', [TASK, holder]).catch(() => undefined);
  }
}

async function acquire(dataSource: DataSource, holder: string): Promise<void> {
  const insert = 'INSERT INTO `leases` (task, holder, expires_on) VALUES (?, ?, ?)';
  const take = 'UPDATE `leases` SET holder = ?, expires_on = ? WHERE task = ? AND holder = ? AND expires_on = ?';
  let [seen, looks] = ['', 0];
  for (;;) {
    const lookedOn = performance.now();
    const [lease] = await dataSource.query<Lease[]>('SELECT holder, expires_on FROM `leases` WHERE task = ?', [TASK]);
    // A change of the schema may hold up a whole cluster, and with it the holder: a late reply proves nothing.
    const wasPrompt = performance.now() - lookedOn < LOOK_MS;
    const state = JSON.stringify(lease);
    looks = lease && wasPrompt && state === seen ? looks + 1 : 0;
    seen = state;
    if (!lease && (await succeeds(dataSource, insert, [TASK, holder, expiry()]))) return;
    const old = lease && [TASK, lease.holder, lease.expires_on];
    if (old && looks >= LOOKS && (await succeeds(dataSource, take, [holder, expiry(), ...old]))) return;
    await sleep(LOOK_MS);
  }
}

/** False if another process was first. */
async function succeeds(dataSource: DataSource, sql: string, parameters: unknown[]): Promise<boolean> {
  try {
    const { affectedRows } = await dataSource.query<{ affectedRows: number }>(sql, parameters);
    return affectedRows > 0;
  } catch (error) {
    if (['duplicate', 'retry'].includes(mysqlDialect.classify(error))) return false;
    throw error;
  }
}

/** Cuts this process's connections once another has taken over (this one may have been suspended), or soon will. */
async function renew(dataSource: DataSource, holder: string, signal: AbortSignal): Promise<void> {
  const sql = 'UPDATE `leases` SET expires_on = ? WHERE task = ? AND holder = ?';
  let failures = 0;
  try {
    for await (const _ of setInterval(RENEW_MS, undefined, { signal })) {
      const renewal = dataSource.query<{ affectedRows: number }>(sql, [expiry(), TASK, holder]);
      const rows = await renewal.then(({ affectedRows }) => affectedRows).catch(() => undefined);
      failures = rows === undefined ? failures + 1 : 0;
      if ((rows === 0 || failures >= MOST_FAILURES) && !signal.aborted) cutConnections(dataSource);
    }
  } catch {
    // Aborted.
  }
}

const expiry = (): number => Date.now() + LOOKS * LOOK_MS;
