import { Controller, Delete, Get, Module, Param, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsModule } from '../accounts/collection-clock.js';
import { type Caller, CallerOf } from '../auth/caller.js';
import { Settings } from '../config/settings.js';
import { JsonBody } from '../http/request/json-body.pipe.js';
import { MemorySlots } from '../http/memory-slots.js';
import { nextPageQuery, publicUrl, queryString } from '../http/request/request-url.js';
import { CONTENT_TYPE, LateReply, Reply } from '../http/response/reply.js';
import { PollService } from '../polling/poll.service.js';
import { ApiError, invalidParameter } from '../protocol/api-error.js';
import { MAX_RECORD_BYTES } from '../protocol/fields.js';
import { isNotModified, preconditionsOf, readResponseBehavior } from '../protocol/request-headers.js';
import { ArticlesService } from './articles.service.js';
import { ListingService } from './listing.service.js';

const TOMBSTONE_BYTES = 100;
/** More could not be requested: a request line and its headers may have 64 KiB. */
const MAX_NEXT_QUERY = 61_440;

/** `/v2/articles` (docs/protocol.md). */
@Controller('v2/articles')
export class ArticlesController {
  constructor(
    private readonly articles: ArticlesService,
    private readonly listings: ListingService,
    private readonly polls: PollService,
    private readonly settings: Settings,
    private readonly slots: MemorySlots,
  ) {}

  /** HEAD comes here too: Express hands it to the handler of GET. */
  @Get()
  list(@Req() request: Request, @CallerOf() caller: Caller): LateReply {
    return new LateReply(() => this.listing(request, caller));
  }

  private async listing(request: Request, caller: Caller): Promise<Reply> {
    const search = queryString(request);
    const conditions = preconditionsOf(request);
    const look = () => this.listings.unchanged(caller, search, conditions);
    const { unchanged, headers } = await this.polls.poll(request, conditions.ifModifiedSince, look);
    if (unchanged !== undefined) return new Reply(304, undefined, headers, unchanged);
    await this.slots.take(request, this.settings.maxPageBytes);
    const countOnly = request.method === 'HEAD';
    const page = await this.listings.list(caller, search, conditions, countOnly);
    headers['Total-Records'] = String(page.total);
    if (page.mustStartOver) headers['Start-Over'] = 'true';
    if (page.nextToken !== undefined) headers['Next-Page'] = this.nextPage(request, search, page.nextToken);
    // The length of the list is unknown, and any `Content-Length` here would be wrong.
    if (countOnly) return new Reply(200, undefined, { ...headers, 'Content-Type': CONTENT_TYPE }, page.last_modified);
    return new Reply(200, page.items!.json, headers, page.last_modified);
  }

  @Post()
  async create(@Req() request: Request, @CallerOf() caller: Caller, @JsonBody() body: unknown): Promise<Reply> {
    await this.slots.take(request, MAX_RECORD_BYTES);
    const { created, article } = await this.articles.create(caller, body, preconditionsOf(request));
    return new Reply(created ? 201 : 200, article);
  }

  @Delete()
  async removeAll(@Req() request: Request, @CallerOf() caller: Caller): Promise<Reply> {
    if (!this.settings.deleteCollectionEnabled)
      throw new ApiError('methodNotAllowed', 'Deleting the collection is disabled', { Allow: 'GET, HEAD, POST' });
    const expect = (count: number) => this.slots.take(request, count * TOMBSTONE_BYTES);
    const items = await this.articles.removeAll(caller, queryString(request), preconditionsOf(request), expect);
    return new Reply(200, { items });
  }

  @Get(':id')
  async read(@Req() request: Request, @CallerOf() caller: Caller, @Param('id') id: string): Promise<Reply> {
    await this.slots.take(request, MAX_RECORD_BYTES);
    const conditions = preconditionsOf(request);
    const article = await this.articles.find(caller, id, conditions);
    if (isNotModified(conditions, article.last_modified)) return new Reply(304, undefined, {}, article.last_modified);
    return new Reply(200, article, {}, article.last_modified);
  }

  @Patch(':id')
  async patch(
    @Req() request: Request,
    @CallerOf() caller: Caller,
    @Param('id') id: string,
    @JsonBody() body: unknown,
  ): Promise<Reply> {
    const behavior = readResponseBehavior(request.headers['response-behavior']);
    const conditions = preconditionsOf(request);
    await this.slots.take(request, MAX_RECORD_BYTES);
    return new Reply(200, await this.articles.patch(caller, id, body, conditions, behavior));
  }

  @Delete(':id')
  async remove(@Req() request: Request, @CallerOf() caller: Caller, @Param('id') id: string): Promise<Reply> {
    return new Reply(200, await this.articles.remove(caller, id, preconditionsOf(request)));
  }

  private nextPage(request: Request, search: string, token: string): string {
    const query = nextPageQuery(search, this.settings.pageSize, token);
    if (query.length > MAX_NEXT_QUERY)
      throw invalidParameter('_sort', 'the sort values are too long for a URL; sort by fewer fields');
    return `${publicUrl(request, this.settings)}/v2/articles?${query}`;
  }
}

@Module({ imports: [AccountsModule], controllers: [ArticlesController], providers: [ArticlesService, ListingService] })
export class ArticlesModule {}
