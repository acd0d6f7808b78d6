import type { INestApplication } from '@nestjs/common';
import { type ProviderCall, providerCalls } from '../../auth/provider/bounded-fetch.js';
import { TokenVerifier } from '../../auth/tokens/token-verifier.js';
import { Database } from '../../database/database.js';
import type { Load } from '../../http/load/load-monitor.js';
import { ServiceStatus } from '../../http/service-status.js';
import { HeldPolls } from '../../polling/held-polls.js';
import { TombstonePurge } from '../../purge/tombstone-purge.js';
import { SharedRedis } from '../../redis/shared-redis.js';
import { before } from '../../time-limit.js';
import type { Metrics } from './metrics.js';

/** A scrape may time out after a second, and must deliver the other metrics even while the database is busy. */
const CLOCK_TIMEOUT_MS = 300;

const LOADS: readonly Load[] = ['normal', 'busy', 'full'];

/** Publishes the metrics of the parts of the service; call it before the database is opened. */
export function measureService(metrics: Metrics, nest: INestApplication): void {
  const [database, redis] = [nest.get(Database), nest.get(SharedRedis)];
  const [tokens, purge] = [nest.get(TokenVerifier), nest.get(TombstonePurge)];
  measureLoad(metrics, nest.get(ServiceStatus));
  measureWaiting(metrics, nest.get(HeldPolls));
  observeProviderCalls(metrics);
  metrics.gauge('database_connections_used', 'Database connections in use', () => database.usage().used);
  metrics.gauge(
    'database_connections_waiting',
    'Callers waiting for a database connection',
    () => database.usage().waiting,
  );
  metrics.total('database_retries', 'Retried transactions and reads', () => database.retries);
  metrics.total('token_cache_hits', 'Tokens found in the cache', () => tokens.cacheCounts.hits);
  metrics.total('token_cache_misses', 'Tokens that had to be verified', () => tokens.cacheCounts.misses);
  metrics.total('tombstones_purged', 'Tombstones deleted by this process', () => purge.purged);
  metrics.gauge(
    'purge_last_success_timestamp_seconds',
    'When the latest purge succeeded, or the process started; 0 if purging is off',
    () => purge.lastSuccessOn / 1000,
  );
  metrics.gauge('purge_failing', '1 if the latest purge of tombstones failed', () => Number(purge.isFailing));
  if (redis.client) metrics.gauge('redis_up', '1 while connected to Redis', () => Number(redis.isUp));
  // After the connections, of which it takes one itself.
  measureDatabaseClock(metrics, database);
}

/**
 * Publishes how far the database server's clock is ahead of this process's, accurate to within the time of a query; NaN
 * while the database is unavailable or busy. A SQLite file has no clock.
 */
function measureDatabaseClock(metrics: Metrics, database: Database): void {
  metrics.gauge('database_clock_offset_seconds', "The database server's clock minus this process's", async () => {
    const sentOn = Date.now();
    try {
      if (database.dialect.isLocal) return 0;
      const row = database.onSession((session) => session.row('SELECT UNIX_TIMESTAMP(NOW(3)) AS now', []));
      const state = await before(CLOCK_TIMEOUT_MS, row, () => new Error('timed out'));
      return Number(state?.now) - (sentOn + Date.now()) / 2000;
    } catch {
      return NaN;
    }
  });
}

function measureLoad(metrics: Metrics, status: ServiceStatus): void {
  const { monitor } = status;
  metrics.gauge('requests_in_flight', 'Requests in flight', () => monitor.inFlight);
  metrics.gauge('event_loop_delay_seconds', 'Median delay of the event loop', () => monitor.delayMs / 1000);
  metrics.gauge('load_state', '0 normal, 1 busy: clients are asked to back off, 2 full: requests are refused', () =>
    LOADS.indexOf(monitor.load),
  );
  metrics.total('requests_refused', 'Requests refused because the instance was full', () => monitor.refused);
  metrics.gauge('draining', '1 after SIGTERM', () => Number(status.draining));
}

function measureWaiting(metrics: Metrics, polls: HeldPolls): void {
  const { counts } = polls;
  metrics.gauge('waiting_held', 'Requests that are held until something changes', () => polls.size);
  metrics.total('waiting_woken', 'Held requests that ended because something changed', () => counts.woken);
  metrics.total('waiting_timed_out', 'Held requests that timed out', () => counts.timedOut);
  metrics.total('waiting_released', 'Held requests released early, under load or at shutdown', () => counts.released);
  metrics.total('waiting_abandoned', 'Held requests whose client or proxy disconnected', () => counts.abandoned);
  metrics.total(
    'waiting_refused',
    'Requests that were not held, for lack of room or because of load',
    () => counts.refused,
  );
}

/** Starts counting the process's calls to the identity provider. */
function observeProviderCalls(metrics: Metrics): void {
  providerCalls.subscribe((call) => {
    const { durationMs, failure } = call as ProviderCall;
    const failed = isCertificateError(failure) ? 'untrusted' : 'failed';
    metrics.observeProviderCall(durationMs, failure === undefined ? 'answered' : failed);
  });
}

/** Codes of OpenSSL and Node for a certificate that is expired, from an unknown CA, or for another host. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/;

function isCertificateError(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? '')) return true;
  return false;
}
