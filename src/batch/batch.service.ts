import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import inject, { type DispatchFunc, type Response as InjectedResponse } from 'light-my-request';
import { markBatchEntry } from '../logging/batch-entry.js';
import { markCounted } from '../rate-limit/rate-limit.guard.js';
import { type BatchEntry, isPassedOn } from '../protocol/batch-request.js';

type Headers = Record<string, string | string[]>;

/** Runs the entries of a batch one after the other, each through the whole pipeline as if it had come alone. */
@Injectable()
export class BatchService {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  /** The JSON of the answer, put together from the JSON of the entries' answers. */
  async run(batch: Request, entries: BatchEntry[]): Promise<string> {
    const inherited = this.inheritedHeaders(batch);
    const responses: string[] = [];
    for (const [at, entry] of entries.entries()) responses.push(await this.runOne(batch, entry, inherited, at === 0));
    return `{"responses":[${responses.join(',')}]}`;
  }

  private inheritedHeaders({ headers }: Request): Headers {
    const passedOn = Object.entries(headers).filter(([name]) => isPassedOn(name)) as [string, string][];
    return Object.fromEntries(passedOn);
  }

  /** The batch itself was counted as a request, so that its first entry is not. */
  private async runOne(batch: Request, entry: BatchEntry, inherited: Headers, isCounted: boolean): Promise<string> {
    const { host, authorization } = batch.headers;
    const pipeline = this.host.httpAdapter.getInstance<DispatchFunc>();
    const dispatch: DispatchFunc = (request, response) => {
      keepMethods(request, response);
      markBatchEntry(request);
      if (isCounted) markCounted(request);
      pipeline(request, response);
    };
    const response = await inject(dispatch, {
      method: entry.method as 'GET',
      url: entry.url,
      headers: {
        ...inherited,
        ...entry.headers,
        ...(host ? { host } : {}),
        authorization,
        ...(entry.body ? { 'content-type': 'application/json' } : {}),
      },
      payload: entry.body && JSON.stringify(entry.body),
      remoteAddress: batch.socket.remoteAddress,
    });
    const head = JSON.stringify({ status: response.statusCode, path: entry.path, headers: headersOf(response) });
    return `${head.slice(0, -1)},"body":${bodyOf(response)}}`;
  }
}

/** Express replaces the prototypes of both, and with them what collects the answer. */
function keepMethods(...[request, response]: Parameters<DispatchFunc>): void {
  for (const method of ['write', 'end', 'writeHead', 'destroy'] as const)
    Object.assign(response, { [method]: (response[method] as () => unknown).bind(response) });
  Object.assign(request, { destroy: request.destroy.bind(request) });
}

/** The headers as they would go over the wire, with the spelling they were set with. */
function headersOf({ raw: { res } }: InjectedResponse): Headers {
  const headers: Headers = {};
  for (const name of (res as typeof res & { getRawHeaderNames(): string[] }).getRawHeaderNames()) {
    const value = res.getHeader(name);
    if (value !== undefined) headers[name] = Array.isArray(value) ? value : String(value);
  }
  return headers;
}

function bodyOf({ payload, headers }: InjectedResponse): string {
  return payload !== '' && String(headers['content-type']).startsWith('application/json') ? payload : '{}';
}
