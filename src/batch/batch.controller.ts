import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedRequest } from '../auth/account.js';
import { BearerOnly } from '../auth/auth.guard.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { JsonBody } from '../http/json-body.js';
import { RawJson, Reply } from '../http/reply.js';
import { parseBatch } from '../protocol/batch-request.js';
import { BatchDocs } from './batch.docs.js';
import { BatchService } from './batch.service.js';

/** `/v2/batch` (docs/protocol.md, "Batch"). */
@ApiTags('batch')
@Controller('v2/batch')
export class BatchController {
  constructor(
    @Inject(BatchService) private readonly batches: BatchService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @BatchDocs.run
  @BearerOnly()
  @Post()
  @HttpCode(200)
  async run(@Req() request: AuthenticatedRequest, @JsonBody() body: unknown): Promise<Reply> {
    const entries = parseBatch(body, this.settings.batchMaxRequests);
    return new Reply(200, new RawJson(await this.batches.run(request, entries)));
  }
}
