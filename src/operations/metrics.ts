import { createServer } from 'node:http';
import express from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { type INestApplication, Logger } from '@nestjs/common';
import { type ProviderCall, providerCalls } from '../auth/provider/bounded-fetch.js';
import { TokenVerifier } from '../auth/tokens/token-verifier.js';
import { Database } from '../database/database.js';
import { ServiceStatus } from '../http/service-status.js';
import { HeldPolls } from '../polling/held-polls.js';
import { PurgeSchedule } from '../purge/purge-schedule.js';
import { SharedRedis } from '../redis/shared-redis.js';
import { before } from '../time-limit.js';
import { ERRORS } from '../protocol/api-error.js';
import type { Observed } from './logging/request-log.js';

/** A scrape may time out after a second, and must deliver the other metrics even while the database is busy. */
const CLOCK_TIMEOUT_MS = 300;

/** The Prometheus metrics of one process. Every label has a fixed set of values. */
export class Metrics {
  /** Serves only `GET /metrics`, on its own port. It does not keep the process alive. */
  readonly server = createServer(
    express()
      .disable('x-powered-by')
      .get('/metrics', async (_request, response) => {
        try {
          response.set('Content-Type', register.contentType).end(await register.metrics());
        } catch (error) {
          // Express would show the stack.
          new Logger('Metrics').error('a scrape failed', (error as Error).stack);
          response.status(500).end();
        }
      }),
  ).unref();

  private readonly requests = new Histogram({
    name: 'reading_list_request_duration_seconds',
    help: 'Duration of requests by route, method, class of status and source: a client, or an entry of a batch',
    labelNames: ['route', 'method', 'status', 'source'],
    // From a poll that finds nothing new to the time limit of a backend.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  private readonly errors = new Counter({
    name: 'reading_list_errors_total',
    help: 'Error responses by errno, including entries of batches',
    labelNames: ['errno'],
  });
  private readonly providerCalls = new Histogram({
    name: 'reading_list_provider_call_duration_seconds',
    help: 'Duration of calls to the identity provider by outcome',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });

  constructor() {
    collectDefaultMetrics();
    // Counters start at zero because Prometheus sees no increase in one that appears with its first error.
    for (const { errno } of Object.values(ERRORS)) this.errors.inc({ errno }, 0);
    for (const outcome of ['answered', 'failed', 'untrusted']) this.providerCalls.zero({ outcome });
    providerCalls.subscribe((call) => {
      const { durationMs, failure } = call as ProviderCall;
      this.providerCalls.observe({ outcome: outcomeOf(failure) }, durationMs / 1000);
    });
  }

  observeRequest({ route, method, status, errno, ms, batchEntry }: Observed): void {
    const statusClass = status === undefined ? 'aborted' : `${Math.floor(status / 100)}xx`;
    const labels = { route, method, status: statusClass, source: batchEntry ? 'batch' : 'client' };
    this.requests.observe(labels, ms / 1000);
    if (errno !== undefined) this.errors.inc({ errno });
  }

  /** Publishes the metrics of the parts of the service; call it before the database is opened. */
  measureService(nest: INestApplication): void {
    const status = nest.get(ServiceStatus);
    const { monitor } = status;
    gauge('requests_in_flight', 'Requests in flight', () => monitor.inFlight);
    gauge('event_loop_delay_seconds', 'Median delay of the event loop', () => monitor.delayMs / 1000);
    gauge('load_state', '0 normal, 1 busy: clients are asked to back off, 2 full: requests are refused', () =>
      ['normal', 'busy', 'full'].indexOf(monitor.load),
    );
    total('requests_refused', 'Requests refused because the instance was full', () => monitor.refused);
    gauge('draining', '1 after SIGTERM', () => Number(status.draining));

    const polls = nest.get(HeldPolls);
    const { counts } = polls;
    gauge('waiting_held', 'Requests that are held until something changes', () => polls.size);
    total('waiting_woken', 'Held requests that ended because something changed', () => counts.changed);
    total('waiting_timed_out', 'Held requests that timed out', () => counts.timedOut);
    total('waiting_released', 'Held requests released early, under load or at shutdown', () => counts.released);
    total('waiting_abandoned', 'Held requests whose client or proxy disconnected', () => counts.abandoned);
    total('waiting_refused', 'Requests that were not held, for lack of room or because of load', () => counts.refused);

    const { cacheCounts } = nest.get(TokenVerifier);
    total('token_cache_hits', 'Tokens found in the cache', () => cacheCounts.hits);
    total('token_cache_misses', 'Tokens that had to be verified', () => cacheCounts.misses);

    const purge = nest.get(PurgeSchedule);
    const success = 'When the latest purge succeeded, or the process started; 0 if purging is off';
    gauge('purge_last_success_timestamp_seconds', success, () => purge.lastSuccessOn / 1000);
    gauge('purge_failing', '1 if the latest purge of tombstones failed', () => Number(purge.isFailing));
    total('tombstones_purged', 'Tombstones deleted by this process', () => purge.purged);

    const redis = nest.get(SharedRedis);
    if (redis.client) gauge('redis_up', '1 while connected to Redis', () => Number(redis.isUp));

    const database = nest.get(Database);
    gauge('database_connections_used', 'Database connections in use', () => database.usage().used);
    gauge('database_connections_waiting', 'Callers waiting for a database connection', () => database.usage().waiting);
    total('database_retries', 'Retried transactions and reads', () => database.retries);
    // After the connections, of which it takes one itself.
    const offset = "The database server's clock minus this process's";
    gauge('database_clock_offset_seconds', offset, () => clockOffset(database).catch(() => NaN));
  }
}

/** Publishes a value that is read on each scrape. */
function gauge(name: string, help: string, read: () => number | Promise<number>): void {
  const collect = async (): Promise<void> => metric.set(await read());
  const metric = new Gauge({ name: `reading_list_${name}`, help, collect });
}

/** Publishes a count that is kept elsewhere and read on each scrape. */
function total(name: string, help: string, read: () => number): void {
  const collect = (): void => {
    counter.reset();
    counter.inc(read());
  };
  const counter = new Counter({ name: `reading_list_${name}_total`, help, collect });
}

/** The database's clock minus ours in seconds, to within the time of a query. Rejects while it is unavailable or busy. */
async function clockOffset(database: Database): Promise<number> {
  if (database.dialect.isLocal) return 0;
  const sentOn = Date.now();
  const row = database.onSession((session) => session.row('SELECT UNIX_TIMESTAMP(NOW(3)) AS now', []));
  const state = await before(CLOCK_TIMEOUT_MS, row, () => new Error('timed out'));
  return Number(state?.now) - (sentOn + Date.now()) / 2000;
}

/** Codes of OpenSSL and Node for a certificate that is expired, from an unknown CA, or for another host. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/;

function outcomeOf(failure: unknown): string {
  if (failure === undefined) return 'answered';
  for (let error: unknown = failure; error instanceof Error; error = error.cause)
    if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? '')) return 'untrusted';
  return 'failed';
}
