import { Module } from '@nestjs/common';
import { CollectionClock } from './collection-clock.js';

@Module({ providers: [CollectionClock], exports: [CollectionClock] })
export class AccountsModule {}
