import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, callerOf } from '../auth/caller.js';
import { type Clock, CLOCK, SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { ServiceStatus } from '../http/service-status.js';
import { readWait } from '../protocol/prefer.js';
import { linesOf } from '../protocol/repeated-header.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { WaitingRoom } from './waiting-room.js';

/** The most client-supplied bytes that a held request may keep in memory; larger ones are not held. */
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
   * What `look` returns for a poll; if that is a timestamp and the poll prefers to wait, only once the collection changes
   * or the time is up. Records the granted wait and the time it was held in the request's context. The place is taken
   * before `look` runs, so that no change is missed in between.
   * @param look returns the collection's timestamp while the response to the poll would be 304
   */
  async hold(
    request: Request,
    since: Timestamp,
    look: () => Promise<Timestamp | undefined>,
  ): Promise<Timestamp | undefined> {
    const { context } = request;
    const caller = callerOf(request);
    const seconds = this.grant(request, caller);
    const waiter = seconds ? this.room.enter(caller.key, since, seconds * 1000) : undefined;
    if (waiter || seconds === 0) context.waitSeconds = seconds;
    if (!waiter) return look();
    // Leaves only with the response, as a woken poll counts as checking until then, or when the client is gone,
    // possibly during `look`.
    context.whenAnswered(() => {
      this.room.end(waiter, 'abandoned');
      this.room.leave(waiter);
    });
    const unchanged = await look();
    if (unchanged === undefined) return undefined;
    // A body has no meaning here, but unread it would stay in memory.
    request.resume();
    const start = performance.now();
    const ending = await this.status.monitor.whileWaiting(this.room.hold(waiter, unchanged));
    // The time it is held does not count as response time.
    context.heldMs = performance.now() - start;
    if (ending !== 'changed') return unchanged;
    // A condition in the future holds after the change, too.
    return since > unchanged ? look() : undefined;
  }

  /** For how many seconds the request may be held; undefined if it must not be held or does not ask for it. */
  private grant(request: Request, { expiresAt = Infinity }: Caller): number | undefined {
    const { maxSeconds } = this.settings.waiting;
    if (maxSeconds === 0 || request.context.isBatchEntry) return undefined;
    const wanted = readWait(linesOf('prefer', request.rawHeaders));
    if (wanted === undefined) return undefined;
    if (this.status.draining || this.status.monitor.load === 'full' || keptBytes(request) > MAX_HELD_BYTES) {
      this.room.noteRefusal();
      return undefined;
    }
    const validSeconds = Math.max(0, Math.floor((expiresAt - this.clock()) / 1000));
    return Math.min(wanted, maxSeconds, validSeconds);
  }
}

function keptBytes({ url, rawHeaders }: Request): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}
