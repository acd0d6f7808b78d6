import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ERRORS } from '../../protocol/errno.js';
import type { Observed } from '../logging/request-log.js';

/** In seconds: from a poll that finds nothing new to the time limit of a backend. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The outcome of a call to the identity provider: it responded, it did not, or its certificate was rejected. */
export type ProviderCallOutcome = 'answered' | 'failed' | 'untrusted';
const OUTCOMES: readonly ProviderCallOutcome[] = ['answered', 'failed', 'untrusted'];

/**
 * The Prometheus metrics of one service process. Every label has a fixed set of values: declared routes, known methods,
 * classes of statuses, the protocol's error numbers.
 */
export class Metrics {
  readonly registry = new Registry();
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
  }

  /** Counts a finished request. */
  readonly observeRequest = (request: Observed): void => {
    const { route, method, status, errno, isBatchEntry } = request;
    const labels = { route, method, status: statusClass(status), source: isBatchEntry ? 'batch' : 'client' };
    this.requests.observe(labels, request.durationMs / 1000);
    if (errno !== undefined) this.errors.inc({ errno });
  };

  /** Counts a finished call to the identity provider. */
  readonly observeProviderCall = (durationMs: number, outcome: ProviderCallOutcome): void => {
    this.providerCalls.observe({ outcome }, durationMs / 1000);
  };

  /** A value that goes up and down, read on each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge = new Gauge({ name: `reading_list_${name}`, help, registers: this.registers, collect });
  }

  /** A total kept elsewhere, read on each scrape. */
  total(name: string, help: string, read: () => number): void {
    const collect = (): void => {
      counter.reset();
      counter.inc(read());
    };
    const counter = new Counter({ name: `reading_list_${name}_total`, help, registers: this.registers, collect });
  }
}

const statusClass = (status: number | undefined): string =>
  status === undefined ? 'aborted' : `${Math.floor(status / 100)}xx`;

/** Serves only `GET /metrics`, on its own port. It does not keep the process alive. */
export function createMetricsServer(registry: Registry): Server {
  const server = createServer((request, response) => void respond(registry, request, response));
  return server.unref();
}

async function respond(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(404).end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(method === 'HEAD' ? undefined : text);
  } catch {
    response.writeHead(500).end();
  }
}
