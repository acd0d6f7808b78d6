import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/collection-clock.js';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [ArticlesController],
  providers: [ArticlesService, ListingService],
})
export class ArticlesModule {}
