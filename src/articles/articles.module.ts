import { Module } from '@nestjs/common';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';
import { CollectionClock } from './collection-clock.js';

@Module({ controllers: [ArticlesController], providers: [ArticlesService, CollectionClock] })
export class ArticlesModule {}
