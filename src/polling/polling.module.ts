import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { keyOf } from '../accounts/account.row.js';
import { CollectionChanges } from '../accounts/collection-changes.js';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { WaitScheduler } from './wait-scheduler.js';
import { ChangePoll } from './change-poll.js';
import { RedisChanges } from './redis-changes.js';
import { WaitingPolls } from './waiting-polls.js';
import { WaitingRoom } from './waiting-room.js';

/** Polls that wait for a change. */
@Global()
@Module({
  providers: [
    CollectionChanges,
    {
      provide: WaitingRoom,
      useFactory: ({ waiting }: Settings) => new WaitingRoom(waiting, () => performance.now()),
      inject: [SETTINGS],
    },
    WaitingPolls,
    ChangePoll,
    RedisChanges,
    WaitScheduler,
  ],
  exports: [CollectionChanges, WaitingPolls, WaitingRoom],
})
export class PollingModule implements OnModuleInit {
  constructor(
    private readonly changes: CollectionChanges,
    private readonly room: WaitingRoom,
    private readonly redis: RedisChanges,
  ) {}

  /** Changes in this process wake its own waiters and are published to other instances. */
  onModuleInit(): void {
    this.changes.onChange((account, last_modified) => {
      const key = keyOf(account);
      this.room.announce(key, last_modified);
      this.redis.publish(key, last_modified);
    });
    this.room.onEnter = (key) => this.redis.follow(key);
  }
}
