import { Global, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { dataSourceOptions, DriverHandles } from './data-source.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './database.lifecycle.js';

@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(private readonly lifecycle: DatabaseLifecycle) {}

  onApplicationShutdown(): Promise<void> {
    return this.lifecycle.stop();
  }
}

/**
 * The database for every module. `DatabaseLifecycle` opens TypeORM's data source when told to and closes it with the
 * application, so that the service can start while its database is away.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS, DriverHandles],
      useFactory: async (settings: Settings, handles: DriverHandles) => ({
        ...(await dataSourceOptions(settings, handles)),
        manualInitialization: true,
      }),
    }),
  ],
  providers: [
    DriverHandles,
    {
      provide: DatabaseLifecycle,
      useFactory: (settings: Settings, dataSource: DataSource, handles: DriverHandles) =>
        new DatabaseLifecycle(settings, dataSource, handles, new Logger('Database')),
      inject: [SETTINGS, DataSource, DriverHandles],
    },
    { provide: Database, useFactory: ({ database }: DatabaseLifecycle) => database, inject: [DatabaseLifecycle] },
    DatabaseCloser,
  ],
  exports: [Database, DatabaseLifecycle, DriverHandles],
})
export class DatabaseModule {}
