import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { documentationUrl } from '../http/request/public-url.js';
import { ResponseSlots } from '../http/memory-slots.js';
import { beginContext } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';
import { type BatchEntry, isInherited } from '../protocol/batch-request.js';
import { type EntryResponse, entryRequest, entryResponse, type Headers } from './entry-messages.js';

/** How long a batch waits in vain for an unavailable backend; each entry may take seconds to find that out. */
const PATIENCE_MS = 4_000;

/** Runs the entries of a batch one after the other, each through all of Express as if it had been sent alone. */
@Injectable()
export class BatchService {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly slots: ResponseSlots,
  ) {}

  /** The JSON of the response, assembled from the JSON of the entries' responses. */
  async run(batch: Request, entries: BatchEntry[]): Promise<string> {
    // Twice the limit, because the last entry starts before the batch is full.
    await this.slots.take(batch, 2 * this.settings.maxPageBytes);
    const inherited = this.inheritedHeaders(batch);
    const responses: string[] = [];
    let bytes = 0;
    let waitedMs = 0;
    for (const [at, entry] of entries.entries()) {
      // Nothing counts the rest, or limits how many such batches there are.
      if (batch.socket.destroyed) break;
      const isFull = bytes >= this.settings.maxPageBytes;
      if (isFull || waitedMs >= PATIENCE_MS) {
        const reason = isFull ? 'The responses of the batch are already too large' : 'A backend was unavailable before';
        responses.push(
          toJson(entry, notRun(reason, this.settings.retryAfterSeconds, documentationUrl(batch, this.settings))),
        );
        continue;
      }
      const { host } = batch.headers;
      const headers = { ...inherited, ...entry.headers, ...(host ? { host } : {}) };
      const request = entryRequest(batch, entry, headers) as Request;
      const result = await this.runEntry(batch, request, at === 0);
      if (result.status === 503) waitedMs += performance.now() - request.context.startedAt;
      const response = toJson(entry, result);
      bytes += Buffer.byteLength(response);
      responses.push(response);
    }
    return `{"responses":[${responses.join(',')}]}`;
  }

  private inheritedHeaders({ headers }: Request): Headers {
    const passedOn = Object.entries(headers).filter(([name]) => isInherited(name)) as [string, string][];
    return Object.fromEntries(passedOn);
  }

  /** The batch itself was counted as a request, so its first entry is not. */
  private async runEntry(batch: Request, request: Request, isCounted: boolean) {
    const express = this.host.httpAdapter.getInstance<Express>();
    const result = await new Promise<EntryResponse>((resolve) => {
      const response = entryResponse(request, batch.res!, resolve) as Response;
      beginContext(request, response, true).isCounted = isCounted;
      express(request, response);
    });
    batch.context.statements += request.context.statements;
    return result;
  }
}

/** The response for an entry that is not run. */
function notRun(reason: string, retryAfterSeconds: number, documentation: string): EntryResponse {
  const error = new ApiError('unavailable', `${reason}: send this request again`);
  const headers = { 'Retry-After': String(retryAfterSeconds), 'Content-Type': 'application/json; charset=utf-8' };
  return { status: error.status, headers, body: JSON.stringify(error.body(documentation)) };
}

function toJson({ path }: BatchEntry, { status, headers, body }: EntryResponse): string {
  const head = JSON.stringify({ status, path, headers });
  return `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
}
