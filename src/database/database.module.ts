import { Global, Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { Database } from './database.js';
import { openSessions } from './open.js';

/** `Database` opens the data source itself, so that the service can start while the database server is down. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Settings],
      useFactory: async (settings: Settings) => ({
        ...(await dataSourceOptions(settings)),
        manualInitialization: true,
      }),
      dataSourceFactory: (options) => Promise.resolve(createDataSource(options!)),
    }),
  ],
  providers: [
    {
      provide: Database,
      useFactory: (settings: Settings, dataSource: DataSource) =>
        new Database(dataSource, (onMoved) => openSessions(settings, dataSource, onMoved), new Logger('Database')),
      inject: [Settings, DataSource],
    },
  ],
  exports: [Database],
})
export class DatabaseModule {}
