import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import { type Caller, callerOf } from '../auth/caller.js';
import { RequestContext } from '../http/request/request-context.js';
import { pathOf } from '../http/request/request-url.js';
import { ApiError } from '../protocol/api-error.js';
import { type BatchEntry, isInherited } from '../protocol/batch-request.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { type EntryResponse, entryRequest, entryResponse } from './entry-messages.js';

/**
 * Where an entry runs: in the transaction of the batch if it reads or changes articles; alone if it deletes the
 * collection, which commits what came before and takes transactions of its own; outside, where it may wait for anything.
 */
type Place = 'inTransaction' | 'alone' | 'outside';

/** An entry with the headers that it inherits, and its place in the batch. */
export interface Step extends BatchEntry {
  at: number;
  place: Place;
  /** Set if it was already counted for the rate limit; rejects with 429 if that was too many. */
  admission?: Promise<void>;
}

const IN_TRANSACTION = /^((GET|HEAD|POST) \/v2\/articles|(GET|HEAD|PATCH|DELETE) \/v2\/articles\/[^/]+)$/;

function placeOf({ method, url }: BatchEntry): Place {
  const route = `${method} ${pathOf(url)}`;
  if (route === 'DELETE /v2/articles') return 'alone';
  return IN_TRANSACTION.test(route) ? 'inTransaction' : 'outside';
}

/** Steps about articles in groups that share a transaction each. */
export function inGroups(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (step.place === 'inTransaction' && last?.[0]!.place === 'inTransaction') last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** The response to an entry as it stands in that to the batch; `record` logs and measures it, called when the batch ends. */
export interface Result {
  json: string;
  bytes: number;
  record: () => void;
}

/** Runs an entry of a batch through all of Express as if it had been sent alone. */
@Injectable()
export class EntryRunner {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limiter: RateLimiter,
  ) {}

  /** Counts all entries about articles but the first, which counted as the batch: later nothing may wait for Redis. */
  async prepare(batch: Request, entries: BatchEntry[]): Promise<Step[]> {
    const lines = Object.entries(batch.headers).filter(([name]) => name === 'host' || isInherited(name));
    const inherited = Object.fromEntries(lines) as BatchEntry['headers'];
    const steps = entries.map((entry, at): Step => {
      return { ...entry, headers: { ...inherited, ...entry.headers }, at, place: placeOf(entry) };
    });
    if (!this.limiter.isOn) return steps;
    for (const step of steps) {
      if (step.at === 0) step.admission = Promise.resolve();
      else if (step.place !== 'outside') step.admission = this.limiter.take(`user:${callerOf(batch).key}`);
    }
    await Promise.allSettled(steps.flatMap(({ admission }) => admission ?? []));
    return steps;
  }

  /** @param caller who sent it, in the transaction that it is a part of; without one it authenticates like any request */
  async run(batch: Request, step: Step, caller?: Caller): Promise<Result> {
    const request = entryRequest(batch, step) as Request;
    const context = (request.context = new RequestContext(true));
    context.admission = step.admission;
    if (caller) request.caller = caller;
    // Statements in the transaction are counted for the batch, whose session runs them.
    const { statements } = batch.context;
    const { status, headers, body } = await new Promise<EntryResponse>((resolve) => {
      const response = entryResponse(request, batch.res!, resolve) as Response;
      this.host.httpAdapter.getInstance<Express>()(request, response);
    });
    context.statements += batch.context.statements - statements;
    batch.context.statements = statements + context.statements;
    context.over();
    const head = JSON.stringify({ status, path: step.path, headers });
    const json = `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
    return { json, bytes: Buffer.byteLength(json), record: context.record! };
  }

  /** Runs an entry only as far as the guard that refuses it, so that its response has all headers. */
  refuse(batch: Request, step: Step, reason: string, caller?: Caller): Promise<Result> {
    const admission = Promise.reject(new ApiError('unavailable', `${reason}: send this request again`));
    // An earlier guard may refuse it first.
    admission.catch(() => undefined);
    return this.run(batch, { ...step, admission }, caller);
  }
}
