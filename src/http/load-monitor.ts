import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { ApiError } from '../protocol/api-error.js';
import { MemorySlots } from './memory-slots.js';
import type { RequestContext } from './request/request-context.js';

const SAMPLE_MS = 250;
const RESOLUTION_MS = 10;
/** `waiting` is per connection. With fewer than `delayed` in flight, it is not load that delays the event loop. */
const BUSY = { inFlight: 150, waiting: 4, delayMs: 60, delayed: 16 };
const FULL = { inFlight: 400, waiting: 20, delayMs: 250, delayed: 64 };
/** Including those that wait for others of the same user: they cost nothing but memory. */
const MOST_IN_FLIGHT = 2_000;
/** Refusing everything for longer than this is no longer a load peak. */
const STUCK_MS = 4_000;

/** Judges the load by the delay of the event loop, and the requests in flight and waiting for a database connection. */
@Injectable()
export class LoadMonitor implements OnApplicationShutdown {
  inFlight = 0;
  refused = 0;
  /** The median event-loop delay of the latest sample. */
  delayMs = 0;
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly timer = setInterval(() => this.sample(), SAMPLE_MS).unref();
  private refusingSince?: number;

  constructor(
    @Inject(Settings) private readonly settings: Pick<Settings, 'databasePoolSize'>,
    @Inject(Database) private readonly database: Pick<Database, 'usage'>,
    @Inject(MemorySlots) private readonly memory: Pick<MemorySlots, 'queued'>,
  ) {
    this.histogram.enable();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.histogram.disable();
  }

  /** True if a new request can be served in time: it then counts as in flight until its response is complete. */
  admit(request: Pick<RequestContext, 'whenResponded'>): boolean {
    if (this.load === 'full') {
      this.refused++;
      this.refusingSince ??= performance.now();
      return false;
    }
    this.refusingSince = undefined;
    this.inFlight++;
    request.whenResponded(() => this.inFlight--);
    return true;
  }

  /** Does not count a request that waits as in flight until the returned function is called, or the request is over. */
  pause(request: Pick<RequestContext, 'whenOver'>): () => void {
    let isPaused = true;
    const resume = (): void => {
      if (isPaused) this.inFlight++;
      isPaused = false;
    };
    this.inFlight--;
    request.whenOver(resume);
    return resume;
  }

  /** True when the service has refused everything for some seconds and still would. */
  get isStuck(): boolean {
    return performance.now() - (this.refusingSince ?? Infinity) > STUCK_MS && this.load === 'full';
  }

  /** `busy`: clients are asked to back off; `full`: requests are refused before they cost anything. */
  get load(): 'normal' | 'busy' | 'full' {
    const { waiting, queued } = this.database.usage();
    const active = this.inFlight - queued - this.memory.queued;
    if (this.inFlight >= MOST_IN_FLIGHT || this.exceeds(FULL, active, waiting)) return 'full';
    return this.exceeds(BUSY, this.inFlight, waiting) ? 'busy' : 'normal';
  }

  private exceeds(limits: typeof BUSY, inFlight: number, waiting: number): boolean {
    if (this.delayMs >= limits.delayMs && this.inFlight >= limits.delayed) return true;
    return inFlight >= limits.inFlight || waiting >= limits.waiting * this.settings.databasePoolSize;
  }

  private sample(): void {
    // After a reset nothing is recorded before the second measurement: while turns are long, it collects over several.
    if (this.histogram.count < 2) return;
    this.delayMs = Math.max(0, this.histogram.percentile(50) / 1e6 - RESOLUTION_MS);
    this.histogram.reset();
  }
}

const HEALTH = /^(\/v2)?\/__(lbheartbeat|heartbeat|version)__(\?|$)/;

/** Refuses requests with 503 / 201 while the service is full, but never health checks and the entries of a batch. */
export function refuseOverload(monitor: LoadMonitor) {
  return ({ context, socket, url }: Request, _: Response, next: NextFunction): void => {
    // Nobody would read the response.
    if (socket.destroyed && !context.isBatchEntry) return;
    if (context.isBatchEntry || HEALTH.test(url)) return next();
    next(monitor.admit(context) ? undefined : new ApiError('unavailable', 'Overloaded; try again later'));
  };
}
