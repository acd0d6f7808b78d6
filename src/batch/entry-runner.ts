import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import type { SharedChanges } from '../accounts/shared-changes.js';
import { Caller, callerOf } from '../auth/caller.js';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { documentationUrl } from '../http/request/public-url.js';
import { beginContext } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';
import { type BatchEntry, isInherited } from '../protocol/batch-request.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { isInTransaction, type Step } from './batch-steps.js';
import { type EntryResponse, entryRequest, entryResponse, type Headers } from './entry-messages.js';

/** The response to an entry. */
export interface Slot {
  status: number;
  /** As it stands in the response to the batch. */
  json: string;
  bytes: number;
  ms: number;
  /** Tells the log and metrics, once the response counts. */
  record: () => void;
}

/** Runs an entry of a batch through all of Express as if it had been sent alone. */
@Injectable()
export class EntryRunner {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limiter: RateLimiter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts what will run in the transaction for the rate limit, as that may have to wait for Redis. The batch itself was
   * counted as a request, so its first entry is not.
   */
  async prepare(batch: Request, entries: BatchEntry[]): Promise<Step[]> {
    const steps = entries.map((entry, at): Step => ({ at, entry }));
    for (const step of steps) {
      if (step.at === 0) step.counted = Promise.resolve();
      else if (isInTransaction(step)) step.counted = this.limiter.take(`user:${callerOf(batch).key}`);
    }
    await Promise.allSettled(steps.flatMap(({ counted }) => counted ?? []));
    return steps;
  }

  /** @param shared the transaction that it is a part of */
  async run(batch: Request, { entry, counted }: Step, shared?: SharedChanges): Promise<Slot> {
    const request = entryRequest(batch, entry, headersOf(batch, entry)) as Request;
    // Those in the transaction are counted for the batch, which has its session.
    const { statements } = batch.context;
    const { response, result } = await new Promise<{ response: Response; result: EntryResponse }>((resolve) => {
      const response = entryResponse(request, batch.res!, (result) => resolve({ response, result })) as Response;
      const context = beginContext(request, response, true);
      context.counted = counted;
      if (shared) request.caller = new Caller(callerOf(batch), context, shared);
      this.host.httpAdapter.getInstance<Express>()(request, response);
    });
    const { context } = request;
    context.completedAt = performance.now();
    context.statements += batch.context.statements - statements;
    batch.context.statements = statements + context.statements;
    const ms = context.completedAt - context.startedAt;
    return { ...toJson(entry, result), ms, record: () => void response.emit('close') };
  }

  /** The response for an entry that is not run. */
  refuse(batch: Request, { entry }: Step, reason: string): Slot {
    const error = new ApiError('unavailable', `${reason}: send this request again`);
    const retryAfter = String(this.settings.retryAfterSeconds);
    const headers = { 'Retry-After': retryAfter, 'Content-Type': 'application/json; charset=utf-8' };
    const body = JSON.stringify(error.body(documentationUrl(batch, this.settings)));
    return { ...toJson(entry, { status: error.status, headers, body }), ms: 0, record: () => undefined };
  }
}

function headersOf({ headers: ofBatch }: Request, { headers }: BatchEntry): Headers {
  const inherited = Object.entries(ofBatch).filter(([name]) => isInherited(name)) as [string, string][];
  const { host } = ofBatch;
  return { ...Object.fromEntries(inherited), ...headers, ...(host ? { host } : {}) };
}

function toJson({ path }: BatchEntry, { status, headers, body }: EntryResponse) {
  const head = JSON.stringify({ status, path, headers });
  const json = `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
  return { status, json, bytes: Buffer.byteLength(json) };
}
