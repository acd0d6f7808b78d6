import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { CollectionChanges } from '../accounts/collection-clock.js';
import { AuthModule } from '../auth/auth.module.js';
import { HeldPolls } from './held-polls.js';
import { MissedChanges } from './missed-changes.js';
import { PollService } from './poll.service.js';
import { RedisChanges } from './redis-changes.js';

/** Polls, and those of them that wait for a change. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [CollectionChanges, HeldPolls, MissedChanges, PollService, RedisChanges],
  exports: [CollectionChanges, HeldPolls, PollService],
})
export class PollingModule implements OnModuleInit {
  constructor(
    private readonly changes: CollectionChanges,
    private readonly polls: HeldPolls,
    private readonly redis: RedisChanges,
  ) {}

  /** Changes in this process wake its own polls and are published to other instances. */
  onModuleInit(): void {
    this.changes.announce = (key, last_modified) => {
      this.polls.announce(key, last_modified);
      this.redis.publish(key, last_modified);
    };
    this.polls.onEnter = (key) => this.redis.follow(key);
  }
}
