import { Module } from '@nestjs/common';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';

@Module({ controllers: [ArticlesController], providers: [ArticlesService] })
export class ArticlesModule {}
