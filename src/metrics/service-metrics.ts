import type { Redis } from 'ioredis';
import type { TokenVerifier } from '../auth/token-verifier.js';
import type { DatabaseLifecycle } from '../database/database.lifecycle.js';
import type { Load } from '../http/load-monitor.js';
import type { ServiceStatus } from '../http/service-status.js';
import type { TombstonePurge } from '../purge/tombstone-purge.js';
import type { Metrics } from './metrics.js';

/** The parts of a running service that keep figures of their own. */
export interface MeasuredParts {
  status: ServiceStatus;
  database: DatabaseLifecycle;
  tokens: TokenVerifier;
  purge: TombstonePurge;
  redis: Redis | undefined;
}

const LOADS: readonly Load[] = ['normal', 'busy', 'full'];

/** Publishes the figures that the parts of the service keep. */
export function measureService(metrics: Metrics, { status, database, tokens, purge, redis }: MeasuredParts): void {
  measureLoad(metrics, status);
  metrics.gauge('database_connections_used', 'Connections in use', () => database.usage().used);
  metrics.gauge('database_connections_waiting', 'Callers waiting for a connection', () => database.usage().waiting);
  metrics.total('database_retries', 'Repeated transactions and reads', () => database.database.retries);
  metrics.total('token_cache_hits', 'Tokens known from memory', () => tokens.cacheCounts.hits);
  metrics.total('token_cache_misses', 'Tokens that had to be checked', () => tokens.cacheCounts.misses);
  metrics.total('tombstones_purged', 'Tombstones deleted by this process', () => purge.purged);
  metrics.gauge('purge_failing', '1 while the latest purge of tombstones failed', () => Number(purge.isFailing));
  if (redis) metrics.gauge('redis_up', '1 while Redis is connected', () => Number(redis.status === 'ready'));
}

function measureLoad(metrics: Metrics, status: ServiceStatus): void {
  const { monitor } = status;
  metrics.gauge('requests_in_flight', 'Requests being answered', () => monitor.figures.inFlight);
  metrics.gauge('event_loop_delay_seconds', 'Median delay', () => monitor.figures.eventLoopDelayMs / 1000);
  metrics.gauge('load_state', '0 normal, 1 busy: clients are asked to back off, 2 full: requests are refused', () =>
    LOADS.indexOf(monitor.load),
  );
  metrics.total('requests_refused', 'Requests refused while full', () => monitor.refused);
  metrics.gauge('draining', '1 from the moment of SIGTERM', () => Number(status.draining));
}
