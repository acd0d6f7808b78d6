import { Global, Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './database.lifecycle.js';

/**
 * The database for every module. `DatabaseLifecycle` opens TypeORM's data source, so that the service can start while its
 * database is away.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => ({
        ...(await dataSourceOptions(settings)),
        manualInitialization: true,
      }),
      dataSourceFactory: (options) => Promise.resolve(createDataSource(options!)),
    }),
  ],
  providers: [
    {
      provide: DatabaseLifecycle,
      useFactory: (settings: Settings, dataSource: DataSource) =>
        new DatabaseLifecycle(settings, dataSource, new Logger('Database')),
      inject: [SETTINGS, DataSource],
    },
    { provide: Database, useFactory: ({ database }: DatabaseLifecycle) => database, inject: [DatabaseLifecycle] },
  ],
  exports: [Database, DatabaseLifecycle],
})
export class DatabaseModule {}
