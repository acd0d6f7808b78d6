import { Module } from '@nestjs/common';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';
import { ListingService } from './listing.service.js';
import { CollectionClock } from '../accounts/collection-clock.js';

@Module({
  controllers: [ArticlesController],
  providers: [ArticlesService, ListingService, CollectionClock],
})
export class ArticlesModule {}
