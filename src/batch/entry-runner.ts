import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import type { SharedChanges } from '../accounts/shared-changes.js';
import { Caller, callerOf } from '../auth/caller.js';
import { beginContext } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';
import { type BatchEntry, isInherited } from '../protocol/batch-request.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { isAboutArticles, type Step } from './batch-steps.js';
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
  ) {}

  /**
   * Counts the entries about articles for the rate limit, in their order and before the transaction, as that may have to
   * wait for Redis. The batch itself was counted as a request, so its first entry is not.
   */
  async prepare(batch: Request, entries: BatchEntry[]): Promise<Step[]> {
    const lines = Object.entries(batch.headers).filter(([name]) => name === 'host' || isInherited(name));
    const inherited = Object.fromEntries(lines) as Headers;
    const steps = entries.map((entry, at): Step => ({ at, entry, headers: { ...inherited, ...entry.headers } }));
    for (const step of steps) {
      if (step.at === 0) step.admission = Promise.resolve();
      else if (isAboutArticles(step)) step.admission = this.limiter.take(`user:${callerOf(batch).key}`);
    }
    await Promise.allSettled(steps.flatMap(({ admission }) => admission ?? []));
    return steps;
  }

  /** @param shared the transaction that it is a part of */
  async run(batch: Request, { entry, headers, admission }: Step, shared?: SharedChanges): Promise<Slot> {
    const request = entryRequest(batch, entry, headers) as Request;
    // Those in the transaction are counted for the batch, which has its session.
    const { statements } = batch.context;
    const { response, result } = await new Promise<{ response: Response; result: EntryResponse }>((resolve) => {
      const response = entryResponse(request, batch.res!, (result) => resolve({ response, result })) as Response;
      const context = beginContext(request, response, true);
      context.admission = admission;
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

  /** Runs an entry only as far as the guard that refuses it, so that its response has all headers. */
  refuse(batch: Request, step: Step, reason: string, shared?: SharedChanges): Promise<Slot> {
    const admission = Promise.reject(new ApiError('unavailable', `${reason}: send this request again`));
    // An earlier guard may refuse it first.
    admission.catch(() => undefined);
    return this.run(batch, { ...step, admission }, shared);
  }
}

function toJson({ path }: BatchEntry, { status, headers, body }: EntryResponse) {
  const head = JSON.stringify({ status, path, headers });
  const json = `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
  return { status, json, bytes: Buffer.byteLength(json) };
}
