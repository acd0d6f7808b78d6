import { Controller, Module, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsModule } from '../accounts/collection-clock.js';
import { Settings } from '../config/settings.js';
import { Access } from '../http/access.js';
import { JsonBody } from '../http/request/json-body.pipe.js';
import { Reply } from '../http/response/reply.js';
import { parseBatch } from '../protocol/batch-request.js';
import { requireSingleConditions } from '../protocol/request-headers.js';
import { BatchService } from './batch.service.js';
import { EntryRunner } from './entry-runner.js';

/** `/v2/batch` (docs/protocol.md, "Batch"). */
@Controller('v2/batch')
export class BatchController {
  constructor(
    private readonly batches: BatchService,
    private readonly settings: Settings,
  ) {}

  @Access({ bearerOnly: true })
  @Post()
  async run(@Req() request: Request, @JsonBody() body: unknown): Promise<Reply> {
    requireSingleConditions(request);
    return new Reply(200, await this.batches.run(request, parseBatch(body, this.settings.batchMaxRequests)));
  }
}

@Module({ imports: [AccountsModule], controllers: [BatchController], providers: [BatchService, EntryRunner] })
export class BatchModule {}
