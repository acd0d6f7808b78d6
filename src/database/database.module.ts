import { Global, Injectable, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseLifecycle } from './database.lifecycle.js';

/** Injection token of the `Database`. */
export const DATABASE = Symbol('Database');

@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(@Inject(DatabaseLifecycle) private readonly lifecycle: DatabaseLifecycle) {}

  onApplicationShutdown(): Promise<void> {
    return this.lifecycle.stop();
  }
}

/** The database for every module; opened by whoever starts the application, closed with it. */
@Global()
@Module({
  providers: [
    {
      provide: DatabaseLifecycle,
      useFactory: (settings: Settings) => new DatabaseLifecycle(settings, new Logger('Database')),
      inject: [SETTINGS],
    },
    { provide: DATABASE, useFactory: ({ database }: DatabaseLifecycle) => database, inject: [DatabaseLifecycle] },
    DatabaseCloser,
  ],
  exports: [DATABASE, DatabaseLifecycle],
})
export class DatabaseModule {}
