import { Global, Module } from '@nestjs/common';
import { CollectionChanges } from '../accounts/collection-clock.js';
import { AuthModule } from '../auth/auth.module.js';
import { ChangesElsewhere } from './changes-elsewhere.js';
import { HeldPolls } from './held-polls.js';
import { PollService } from './poll.service.js';

/** Polls, and those of them that wait for a change. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [ChangesElsewhere, CollectionChanges, HeldPolls, PollService],
  exports: [CollectionChanges, HeldPolls, PollService],
})
export class PollingModule {
  /** Changes in this process wake its own polls and are published to other instances. */
  constructor(changes: CollectionChanges, polls: HeldPolls, elsewhere: ChangesElsewhere) {
    changes.onChange((key, last_modified) => {
      polls.announce(key, last_modified);
      elsewhere.publish(key, last_modified);
    });
    polls.onEnter = (key) => elsewhere.follow(key);
  }
}
