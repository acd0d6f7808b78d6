import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ServiceStatus } from '../http/service-status.js';
import { ChangePoll } from './change-poll.js';
import { RedisChanges } from './redis-changes.js';
import { TICK_MS } from './timer-wheel.js';
import { WaitingRoom } from './waiting-room.js';

const TICKS_IN_A_SECOND = 1000 / TICK_MS;

/** Runs the single timer of all held polls. */
@Injectable()
export class WaitScheduler implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer?: NodeJS.Timeout;
  private ticks = 0;
  /** How many polls to release per tick while the service is full. */
  private releasing?: number;

  constructor(
    private readonly room: WaitingRoom,
    private readonly status: ServiceStatus,
    private readonly poll: ChangePoll,
    private readonly redis: RedisChanges,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.room.release(Infinity);
  }

  private tick(): void {
    this.room.endDue();
    if (this.status.draining) this.room.release(Infinity);
    this.releaseUnderLoad();
    if (++this.ticks % TICKS_IN_A_SECOND > 0) return;
    this.redis.leaveUnused();
    void this.poll.run();
  }

  /** Releases all polls over a second, so that their responses do not add to the load. */
  private releaseUnderLoad(): void {
    if (this.status.monitor.load !== 'full') return void (this.releasing = undefined);
    this.releasing ??= Math.ceil(this.room.size / TICKS_IN_A_SECOND);
    this.room.release(this.releasing);
  }
}
