import { Global, Module } from '@nestjs/common';
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
export class PollingModule {
  /** Changes in this process wake its own polls and are published to other instances. */
  constructor(changes: CollectionChanges, polls: HeldPolls, redis: RedisChanges) {
    changes.onChange((key, last_modified) => {
      polls.announce(key, last_modified);
      redis.publish(key, last_modified);
    });
    polls.onEnter = (key) => redis.follow(key);
  }
}
