import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, callerOf } from '../auth/caller.js';
import { type Clock, CLOCK, SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { Reply } from '../http/response/reply.js';
import { ServiceStatus } from '../http/service-status.js';
import type { Preconditions } from '../protocol/preconditions.js';
import { readWait } from '../protocol/prefer.js';
import { keyOf, type Waiter, WaitingRoom } from './waiting-room.js';

/** What a held request may keep of its client's making: with more it is answered at once. */
const MAX_HELD_BYTES = 8_192;

/** Holds polls that find nothing new and prefer to wait (docs/protocol.md, "Waiting"). */
@Injectable()
export class WaitingPolls {
  constructor(
    private readonly room: WaitingRoom,
    private readonly status: ServiceStatus,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * What `look` answers; where that is 304 and the client prefers to wait, what it answers once the collection has changed, or
   * the 304 when nothing did in time. The place is taken before the first look, so that no change falls in between.
   */
  async answer(request: Request, { ifModifiedSince }: Preconditions, look: () => Promise<Reply>): Promise<Reply> {
    if (request.headers.prefer === undefined || ifModifiedSince === undefined) return look();
    const caller = callerOf(request);
    const seconds = this.grant(request, caller);
    if (seconds === undefined) return look();
    if (seconds === 0) return withPreference(await look(), seconds);
    const waiter = this.room.enter(keyOf(caller.account), ifModifiedSince, seconds * 1000);
    if (!waiter) return look();
    try {
      return withPreference(await this.hold(waiter, request, look), seconds);
    } finally {
      this.room.leave(waiter);
    }
  }

  /** For how many seconds the request may be held; undefined where it is not to be, or does not ask for it. */
  private grant(request: Request, { expiresAt = Infinity }: Caller): number | undefined {
    const { maxSeconds } = this.settings.waiting;
    if (maxSeconds === 0 || request.context.isBatchEntry) return undefined;
    const wanted = readWait(request.headersDistinct.prefer);
    if (wanted === undefined) return undefined;
    if (this.status.draining || this.status.monitor.load === 'full' || keptBytes(request) > MAX_HELD_BYTES) {
      this.room.counts.refused++;
      return undefined;
    }
    const validSeconds = Math.max(0, Math.floor((expiresAt - this.clock()) / 1000));
    return Math.min(wanted, maxSeconds, validSeconds);
  }

  private async hold(waiter: Waiter, request: Request, look: () => Promise<Reply>): Promise<Reply> {
    // Before the first look: a client that is gone by its end would be missed.
    request.context.whenOver(() => this.room.end(waiter, 'abandoned'));
    let reply = await look();
    if (reply.status !== 304) return reply;
    // A body has no meaning here; unread it would stay in memory.
    request.resume();
    for (;;) {
      const ending = await this.asIdle(request, this.room.hold(waiter));
      if (ending === 'changed') reply = await look();
      if (ending === 'changed' && reply.status === 304) continue;
      this.room.counts[ending === 'changed' ? 'woken' : ending]++;
      return reply;
    }
  }

  /** A request that is held is no load, and its time is not that of its answer. */
  private async asIdle<T>(request: Request, held: Promise<T>): Promise<T> {
    const start = performance.now();
    const { monitor } = this.status;
    monitor.inFlight--;
    try {
      return await held;
    } finally {
      monitor.inFlight++;
      const { context } = request;
      context.heldMs = (context.heldMs ?? 0) + performance.now() - start;
    }
  }
}

const withPreference = (reply: Reply, seconds: number): Reply =>
  reply.with({ 'Preference-Applied': `wait=${seconds}` });

function keptBytes({ url, rawHeaders }: Request): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}
