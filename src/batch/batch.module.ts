import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/collection-clock.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';
import { EntryRunner } from './entry-runner.js';

@Module({ imports: [AccountsModule], controllers: [BatchController], providers: [BatchService, EntryRunner] })
export class BatchModule {}
