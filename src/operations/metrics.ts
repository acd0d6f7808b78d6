import { createServer } from 'node:http';
import express from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type INestApplication, Logger } from '@nestjs/common';
import { type ProviderCall, providerCalls } from '../auth/provider/bounded-fetch.js';
import { TokenVerifier } from '../auth/tokens/token-verifier.js';
import { Database } from '../database/database.js';
import type { Load } from '../http/load/load-monitor.js';
import { ServiceStatus } from '../http/service-status.js';
import { HeldPolls } from '../polling/held-polls.js';
import { PurgeSchedule } from '../purge/purge-schedule.js';
import { SharedRedis } from '../redis/shared-redis.js';
import { before } from '../time-limit.js';
import { ERRORS } from '../protocol/api-error.js';
import type { Observed } from './logging/request-log.js';

/** In seconds: from a poll that finds nothing new to the time limit of a backend. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The outcome of a call to the identity provider: it responded, it did not, or its certificate was rejected. */
const OUTCOMES = ['answered', 'failed', 'untrusted'] as const;
/** A scrape may time out after a second, and must deliver the other metrics even while the database is busy. */
const CLOCK_TIMEOUT_MS = 300;
const LOADS: readonly Load[] = ['normal', 'busy', 'full'];

/** The Prometheus metrics of one process. Every label has a fixed set of values. */
export class Metrics {
  private readonly logger = new Logger('Metrics');
  private readonly registry = new Registry();
  /** Serves only `GET /metrics`, on its own port. It does not keep the process alive. */
  readonly server = createServer(
    express()
      .disable('x-powered-by')
      .get('/metrics', async (_request, response) => {
        try {
          response.set('Content-Type', this.registry.contentType).end(await this.registry.metrics());
        } catch (error) {
          // Express would show the stack.
          this.logger.error('a scrape failed', (error as Error).stack);
          response.status(500).end();
        }
      }),
  ).unref();

  private readonly registers = [this.registry];

  private readonly requests = new Histogram({
    name: 'reading_list_request_duration_seconds',
    help: 'Duration of requests by route, method, class of status and source: a client, or an entry of a batch',
    labelNames: ['route', 'method', 'status', 'source'],
    buckets: REQUEST_BUCKETS,
    registers: this.registers,
  });
  private readonly errors = new Counter({
    name: 'reading_list_errors_total',
    help: 'Error responses by errno, including entries of batches',
    labelNames: ['errno'],
    registers: this.registers,
  });
  private readonly providerCalls = new Histogram({
    name: 'reading_list_provider_call_duration_seconds',
    help: 'Duration of calls to the identity provider by outcome',
    labelNames: ['outcome'],
    buckets: CALL_BUCKETS,
    registers: this.registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Counters start at zero because Prometheus sees no increase in one that appears with its first error.
    for (const { errno } of Object.values(ERRORS)) this.errors.inc({ errno }, 0);
    for (const outcome of OUTCOMES) this.providerCalls.zero({ outcome });
    providerCalls.subscribe((call) => {
      const { durationMs, failure } = call as ProviderCall;
      const failed = isCertificateError(failure) ? 'untrusted' : 'failed';
      const outcome: (typeof OUTCOMES)[number] = failure === undefined ? 'answered' : failed;
      this.providerCalls.observe({ outcome }, durationMs / 1000);
    });
  }

  observeRequest({ route, method, status, errno, ms, batchEntry }: Observed): void {
    const labels = { route, method, status: statusClass(status), source: batchEntry ? 'batch' : 'client' };
    this.requests.observe(labels, ms / 1000);
    if (errno !== undefined) this.errors.inc({ errno });
  }

  /** Publishes the metrics of the parts of the service; call it before the database is opened. */
  measureService(nest: INestApplication): void {
    const [database, redis] = [nest.get(Database), nest.get(SharedRedis)];
    const [tokens, purge] = [nest.get(TokenVerifier), nest.get(PurgeSchedule)];
    this.measureLoad(nest.get(ServiceStatus));
    this.measureWaiting(nest.get(HeldPolls));
    this.gauge('database_connections_used', 'Database connections in use', () => database.usage().used);
    this.gauge(
      'database_connections_waiting',
      'Callers waiting for a database connection',
      () => database.usage().waiting,
    );
    this.total('database_retries', 'Retried transactions and reads', () => database.retries);
    this.total('token_cache_hits', 'Tokens found in the cache', () => tokens.cacheCounts.hits);
    this.total('token_cache_misses', 'Tokens that had to be verified', () => tokens.cacheCounts.misses);
    this.total('tombstones_purged', 'Tombstones deleted by this process', () => purge.purged);
    this.gauge(
      'purge_last_success_timestamp_seconds',
      'When the latest purge succeeded, or the process started; 0 if purging is off',
      () => purge.lastSuccessOn / 1000,
    );
    this.gauge('purge_failing', '1 if the latest purge of tombstones failed', () => Number(purge.isFailing));
    if (redis.client) this.gauge('redis_up', '1 while connected to Redis', () => Number(redis.isUp));
    // After the connections, of which it takes one itself.
    this.measureDatabaseClock(database);
  }

  /** The database's clock minus ours, to within the time of a query; NaN while it is unavailable or busy. */
  private measureDatabaseClock(database: Database): void {
    this.gauge('database_clock_offset_seconds', "The database server's clock minus this process's", async () => {
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

  private measureLoad(status: ServiceStatus): void {
    const { monitor } = status;
    this.gauge('requests_in_flight', 'Requests in flight', () => monitor.inFlight);
    this.gauge('event_loop_delay_seconds', 'Median delay of the event loop', () => monitor.delayMs / 1000);
    this.gauge('load_state', '0 normal, 1 busy: clients are asked to back off, 2 full: requests are refused', () =>
      LOADS.indexOf(monitor.load),
    );
    this.total('requests_refused', 'Requests refused because the instance was full', () => monitor.refused);
    this.gauge('draining', '1 after SIGTERM', () => Number(status.draining));
  }

  private measureWaiting(polls: HeldPolls): void {
    const { counts } = polls;
    this.gauge('waiting_held', 'Requests that are held until something changes', () => polls.size);
    this.total('waiting_woken', 'Held requests that ended because something changed', () => counts.changed);
    this.total('waiting_timed_out', 'Held requests that timed out', () => counts.timedOut);
    this.total('waiting_released', 'Held requests released early, under load or at shutdown', () => counts.released);
    this.total('waiting_abandoned', 'Held requests whose client or proxy disconnected', () => counts.abandoned);
    this.total(
      'waiting_refused',
      'Requests that were not held, for lack of room or because of load',
      () => counts.refused,
    );
  }

  /** A value that goes up and down, read on each scrape. */
  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge = new Gauge({ name: `reading_list_${name}`, help, registers: this.registers, collect });
  }

  /** A total kept elsewhere, read on each scrape. */
  private total(name: string, help: string, read: () => number): void {
    const collect = (): void => {
      counter.reset();
      counter.inc(read());
    };
    const counter = new Counter({ name: `reading_list_${name}_total`, help, registers: this.registers, collect });
  }
}

const statusClass = (status: number | undefined): string =>
  status === undefined ? 'aborted' : `${Math.floor(status / 100)}xx`;

/** Codes of OpenSSL and Node for a certificate that is expired, from an unknown CA, or for another host. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/;

function isCertificateError(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? '')) return true;
  return false;
}
