import { Global, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsModule } from '../accounts/collection-clock.js';
import { AuthGuard } from '../auth/auth.guard.js';
import { AuthModule } from '../auth/auth.module.js';
import { callerOf } from '../auth/caller.js';
import { type Now, NOW } from '../config/now.js';
import { Settings } from '../config/settings.js';
import { atEndOfTurn } from '../http/server/end-of-turn.js';
import { ServiceStatus } from '../http/service-status.js';
import { readWait, linesOf } from '../protocol/request-headers.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { Semaphore } from '../semaphore.js';
import { ChangesElsewhere } from './changes-elsewhere.js';
import { type HeldPoll, HeldPolls } from './held-polls.js';

/** The most client-supplied bytes that a held request may keep in memory; larger ones are not held. */
const MAX_HELD_BYTES = 8_192;
/** Under load, all held polls are released within a second, in portions, so that their responses do not add to it. */
const RELEASE_MS = 100;
const RELEASES = 10;

type Look = () => Promise<Timestamp | undefined>;
type Polled = { unchanged?: Timestamp; headers: Record<string, string> };

/** Looks for news on behalf of polls, and holds those that prefer to wait for them (docs/protocol.md, "Waiting"). */
@Injectable()
export class PollService implements OnApplicationShutdown {
  /** So that a burst of changes does not become a burst of statements, and one user's slow reads hold up no others. */
  private readonly woken = new Semaphore({
    slots: 32,
    slotsPerKey: 8,
    timeoutMs: 10_000,
    refusal: 'Too many polls were woken; try again later',
  });
  /** Thousands of clients may be gone at once, as when a load balancer is. */
  private readonly abandon = atEndOfTurn((poll: HeldPoll) => this.polls.end(poll, 'abandoned'));
  private readonly releases = setInterval(() => this.releaseIfNeeded(), RELEASE_MS).unref();

  constructor(
    private readonly polls: HeldPolls,
    private readonly status: ServiceStatus,
    private readonly guard: AuthGuard,
    private readonly settings: Settings,
    @Inject(NOW) private readonly now: Now,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.releases);
    this.polls.release(Infinity);
  }

  /**
   * What `look` returns (the collection's timestamp while the response would be 304), with the headers about waiting. If
   * the request prefers to wait, resolves only once there is news since `If-Modified-Since` or the time is up.
   */
  async poll(request: Request, since: Timestamp | undefined, look: Look): Promise<Polled> {
    if (since === undefined) return { headers: {} };
    const { context } = request;
    const seconds = this.grant(request);
    // Before the look, so that no change is missed in between.
    const poll =
      seconds && !context.isFollowed?.() ? this.polls.enter(callerOf(request).key, seconds * 1000) : undefined;
    const headers: Polled['headers'] = poll || seconds === 0 ? { 'Preference-Applied': `wait=${seconds}` } : {};
    if (poll) {
      context.whenOver(() => poll.ending ?? this.abandon(poll));
      context.onFollowed = () => this.polls.end(poll, 'released');
    }
    try {
      const unchanged = await look();
      if (!poll || unchanged === undefined) return { unchanged, headers };
      // A body has no meaning here, but unread it would stay in memory.
      request.resume();
      const start = performance.now();
      const resume = this.status.monitor.pause(context);
      const ending = await this.polls.hold(poll, unchanged);
      if (ending === 'changed') context.whenResponded(await this.woken.acquire(poll.key, context).finally(resume));
      resume();
      // The time it is held counts neither as response time nor for the next statement.
      context.heldMs = performance.now() - start;
      if (ending !== 'changed') return { unchanged, headers };
      callerOf(request).deadline = undefined;
      // A token that was revoked in the meantime gets no new data.
      await this.guard.senderOf(request);
      // A condition in the future holds after the change, too.
      return { unchanged: since > unchanged ? await look() : undefined, headers };
    } finally {
      if (poll) this.polls.leave(poll);
    }
  }

  /** For how many seconds the request may be held; undefined if it must not be held or does not ask for it. */
  private grant(request: Request): number | undefined {
    const { waitMaxSeconds } = this.settings;
    const { url, headers, rawHeaders, context } = request;
    if (headers.prefer === undefined || waitMaxSeconds === 0 || context.isBatchEntry) return undefined;
    const wanted = readWait(linesOf('prefer', rawHeaders));
    if (wanted === undefined) return undefined;
    const keptBytes = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
    if (this.status.draining || this.status.monitor.load === 'full' || keptBytes > MAX_HELD_BYTES) {
      this.polls.counts.refused++;
      return undefined;
    }
    const { expiresAt = Infinity } = callerOf(request).sender;
    const validSeconds = Math.max(0, Math.floor((expiresAt - this.now()) / 1000));
    return Math.min(wanted, waitMaxSeconds, validSeconds);
  }

  private releaseIfNeeded(): void {
    if (this.status.draining) this.polls.release(Infinity);
    if (this.status.monitor.load === 'full') this.polls.release(this.settings.waitingMax / RELEASES);
  }
}

@Global()
@Module({
  imports: [AccountsModule, AuthModule],
  providers: [ChangesElsewhere, HeldPolls, PollService],
  exports: [HeldPolls, PollService],
})
export class PollingModule {}
