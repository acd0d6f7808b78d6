import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../config/settings.js';
import { type Release, Semaphore } from '../semaphore.js';

/** Messages up to this size are not counted once they are complete: requests in flight are limited anyway. */
const SMALL_BYTES = 65_536;
/** For all users and for one; more where a page or body may be larger. */
const ALL_BYTES = 33_554_432;
const USER_BYTES = 4_194_304;
const CHECK_MS = 250;
const SLOW_CLIENT_MS = 2_000;

/** Slots for bytes. While a user who has none waits, the slowest clients lose their connections one by one. */
class Slots extends Semaphore {
  /** The requests that wait for their client, and since when; the longest first. */
  readonly stalled = new Map<Request, number>();

  constructor(largest: number) {
    super({
      slots: Math.max(ALL_BYTES, 4 * largest),
      slotsPerKey: Math.max(USER_BYTES, largest),
      // With many more, the requests of a few users could make the service refuse everybody's.
      waitingPerKey: 300,
      timeoutMs: 3_000,
      refusal: 'Too many large or unfinished requests are in progress; try again later',
    });
  }

  async acquireFor({ caller }: Request, bytes: number): Promise<Release> {
    const key = caller?.key ?? '';
    const acquired = this.acquire(key, caller, bytes);
    if (this.waiting === 0) return acquired;
    const check = setInterval(() => {
      const [slowest] = this.stalled;
      const isSlow = slowest && slowest[1] < performance.now() - SLOW_CLIENT_MS;
      if (isSlow && !this.isUsedBy(key)) slowest[0].socket.destroy();
    }, CHECK_MS);
    return acquired.finally(() => clearInterval(check));
  }
}

/** The memory of responses with records and, separately, of bodies: slow uploads would otherwise keep all of it. */
@Injectable()
export class MemorySlots {
  private readonly responses = new Slots(this.settings.maxPageBytes);
  private readonly bodies = new Slots(this.settings.maxBodyBytes);

  constructor(private readonly settings: Settings) {}

  /** How many requests wait for memory that others of the same user have. */
  get queued(): number {
    return this.responses.queued + this.bodies.queued;
  }

  /** Call it before reading what a response contains: takes memory until the client has it. Rejects with 503 / 201. */
  async take(request: Request, bytes: number): Promise<void> {
    const { context } = request;
    if (context.isBatchEntry) return;
    const { stalled } = this.responses;
    const release = await this.responses.acquireFor(request, bytes);
    context.whenResponded((size) => (size > SMALL_BYTES ? stalled.set(request, performance.now()) : release()));
    context.whenOver(() => {
      stalled.delete(request);
      release();
    });
  }

  /** Reads a body once there is memory for it, which is given back with the response. Rejects like `take`. */
  async read<T>(request: Request, bytes: number, read: () => Promise<T>): Promise<T> {
    if (bytes <= SMALL_BYTES && request.complete) return read();
    const { stalled } = this.bodies;
    // Until it arrives, the request's headers take memory, too.
    const release = await this.bodies.acquireFor(request, Math.max(bytes, SMALL_BYTES));
    request.context.whenResponded(release);
    stalled.set(request, performance.now());
    return read().finally(() => {
      stalled.delete(request);
      if (bytes <= SMALL_BYTES) release();
    });
  }
}
