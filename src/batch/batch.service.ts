import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { AuthenticatedRequest } from '../auth/account.js';
import type { JsonAdapter } from '../http/json.adapter.js';
import { markBatchEntry } from '../logging/batch-entry.js';
import { type BatchEntry, isPassedOn } from '../protocol/batch-request.js';
import { markCounted } from '../rate-limit/rate-limit.guard.js';
import { type EntryAnswer, entryRequest, entryResponse, type Headers } from './entry-messages.js';

/** Runs the entries of a batch one after the other, each through the whole pipeline as if it had come alone. */
@Injectable()
export class BatchService {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<JsonAdapter>) {}

  /** The JSON of the answer, put together from the JSON of the entries' answers. */
  async run(batch: AuthenticatedRequest, entries: BatchEntry[]): Promise<string> {
    const inherited = this.inheritedHeaders(batch);
    const responses: string[] = [];
    for (const [at, entry] of entries.entries()) {
      const { host, authorization } = batch.headers;
      const headers = { ...inherited, ...entry.headers, ...(host ? { host } : {}), authorization: authorization! };
      responses.push(toJson(entry, await this.answer(batch, entry, headers, at === 0)));
    }
    return `{"responses":[${responses.join(',')}]}`;
  }

  private inheritedHeaders({ headers }: Request): Headers {
    const passedOn = Object.entries(headers).filter(([name]) => isPassedOn(name)) as [string, string][];
    return Object.fromEntries(passedOn);
  }

  /** The batch itself was counted as a request, so that its first entry is not. */
  private async answer(batch: AuthenticatedRequest, entry: BatchEntry, headers: Headers, isCounted: boolean) {
    const { pipeline } = this.host.httpAdapter;
    const request = entryRequest(pipeline.messages, batch, entry, headers) as AuthenticatedRequest;
    markBatchEntry(request);
    if (isCounted) markCounted(request);
    const answer = await new Promise<EntryAnswer>((resolve) =>
      pipeline.handle(request, entryResponse(pipeline.messages, request, resolve) as Response),
    );
    batch.caller.statements += (request as Partial<AuthenticatedRequest>).caller?.statements ?? 0;
    return answer;
  }
}

function toJson({ path }: BatchEntry, { status, headers, body }: EntryAnswer): string {
  const head = JSON.stringify({ status, path, headers });
  return `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
}
