import { Controller, Delete, Get, Head, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, CallerOf } from '../auth/account.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { JsonBody } from '../http/json-body.js';
import { publicUrl } from '../http/public-url.js';
import { Reply } from '../http/reply.js';
import { nextPageQuery, queryString } from '../http/query-string.js';
import { ApiError } from '../protocol/api-error.js';
import { readPreconditions } from '../protocol/preconditions.js';
import { START_OVER_HEADER } from '../protocol/purge-horizon.js';
import { readResponseBehavior } from '../protocol/response-behavior.js';
import { ArticlesService } from './articles.service.js';
import { ArticlesDocs } from './articles.docs.js';

/** `/v2/articles` (docs/protocol.md). */
@ArticlesDocs.tag
@Controller('v2/articles')
export class ArticlesController {
  constructor(
    @Inject(ArticlesService) private readonly articles: ArticlesService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @ArticlesDocs.count
  @Head()
  count(@Req() request: Request, @CallerOf() caller: Caller): Promise<Reply> {
    return this.listing(request, caller, true);
  }

  @ArticlesDocs.list
  @Get()
  list(@Req() request: Request, @CallerOf() caller: Caller): Promise<Reply> {
    return this.listing(request, caller, false);
  }

  @ArticlesDocs.create
  @Post()
  async create(@Req() request: Request, @CallerOf() caller: Caller, @JsonBody() body: unknown): Promise<Reply> {
    const { created, article } = await this.articles.create(caller, body, readPreconditions(request.headers));
    return new Reply(created ? 201 : 200, article);
  }

  @ArticlesDocs.removeAll
  @Delete()
  async removeAll(@Req() request: Request, @CallerOf() caller: Caller): Promise<Reply> {
    if (!this.settings.deleteCollectionEnabled)
      throw new ApiError('methodNotAllowed', 'Deleting the collection is disabled', { Allow: 'GET, HEAD, POST' });
    const conditions = readPreconditions(request.headers);
    return new Reply(200, { items: await this.articles.removeAll(caller, queryString(request), conditions) });
  }

  @ArticlesDocs.read
  @Get(':id')
  async read(@Req() request: Request, @CallerOf() caller: Caller, @Param('id') id: string): Promise<Reply> {
    const found = await this.articles.find(caller, id, readPreconditions(request.headers));
    if (found.notModified) return new Reply(304, undefined, { 'Last-Modified': String(found.last_modified) });
    return new Reply(200, found.article, { 'Last-Modified': String(found.article.last_modified) });
  }

  @ArticlesDocs.patch
  @Patch(':id')
  async patch(
    @Req() { headers }: Request,
    @CallerOf() caller: Caller,
    @Param('id') id: string,
    @JsonBody() body: unknown,
  ): Promise<Reply> {
    const behavior = readResponseBehavior(headers['response-behavior']);
    return new Reply(200, await this.articles.patch(caller, id, body, readPreconditions(headers), behavior));
  }

  @ArticlesDocs.remove
  @Delete(':id')
  async remove(@Req() request: Request, @CallerOf() caller: Caller, @Param('id') id: string): Promise<Reply> {
    return new Reply(200, await this.articles.remove(caller, id, readPreconditions(request.headers)));
  }

  private async listing(request: Request, caller: Caller, countOnly: boolean): Promise<Reply> {
    const search = queryString(request);
    const conditions = readPreconditions(request.headers);
    const listing = await this.articles.list(caller, search, conditions, countOnly);
    const headers: Record<string, string> = { 'Last-Modified': String(listing.last_modified) };
    if (listing.notModified) return new Reply(304, undefined, headers);
    headers['Total-Records'] = String(listing.total);
    if (listing.mustStartOver) headers[START_OVER_HEADER] = 'true';
    if (listing.nextToken !== undefined) headers['Next-Page'] = this.nextPage(request, search, listing.nextToken);
    return new Reply(200, { items: listing.items }, headers);
  }

  private nextPage(request: Request, search: string, token: string): string {
    const query = nextPageQuery(search, this.settings.pageSize, token);
    return `${publicUrl(request, this.settings)}/v2/articles?${query}`;
  }
}
