import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { DestinationStream, Logger } from 'pino';
import { ANY_PATH } from '../../http/routing/unmatched.controller.js';
import type { ApiError } from '../../protocol/api-error.js';
import { timestamp } from './log.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What is recorded about a finished request, named as in the log: nothing is copied from its URL, body or credentials. */
export interface Observed {
  requestId: string;
  /** A prefix of the account's key in hexadecimal; undefined if not authenticated. */
  user?: string;
  method: string;
  /** The path as declared, with parameters as `:name`; `unmatched` for all other paths. */
  route: string;
  /** Undefined when the client went away before the response. */
  status?: number;
  errno?: number;
  /** How long the response took, not counting the time the request was held. */
  ms: number;
  heldMs?: number;
  /** The number of SQL statements; undefined if not authenticated. */
  sql?: number;
  batchEntry?: true;
  aborted?: true;
  failure?: unknown;
}

function observedRequest({ context, caller, method, route }: Request, response: Response): Observed {
  const { id, errno, failure, heldMs, isBatchEntry, startedAt } = context;
  const path = (route as { path: string } | undefined)?.path ?? ANY_PATH;
  const ms = performance.now() - startedAt - (heldMs ?? 0);
  return {
    requestId: id,
    user: caller?.account.toString('hex', 0, 6),
    method: METHODS.has(method) ? method : 'other',
    route: path === ANY_PATH ? 'unmatched' : path,
    status: response.writableEnded ? response.statusCode : undefined,
    errno,
    ms: Math.round(ms * 10) / 10,
    heldMs: heldMs === undefined ? undefined : Math.round(heldMs),
    sql: caller && context.statements,
    batchEntry: isBatchEntry || undefined,
    aborted: !response.writableEnded || undefined,
    failure,
  };
}

/** A request that was refused on its connection because Node could not parse it. */
export function refusedConnection(requestId: string, { status, errno }: ApiError): Observed {
  return { requestId, method: 'other', route: 'unmatched', status, errno, ms: 0 };
}

/** The request's id: the one that the client or load balancer sent if it is short and plain, otherwise a new UUID. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && /^[\w.:+=@-]{1,64}$/.test(sent) ? sent : randomUUID();

/** Gives every request its id (batch entries have that of their batch), and has it observed once it is over. */
export function observeRequests(observe: (request: Observed) => void) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { context, headers } = request;
    context.id = requestIdOf(headers['x-request-id']);
    headers['x-request-id'] = context.id;
    context.whenOver(() => {
      const observed = observedRequest(request, response);
      // Bound, so that the entries of a batch do not keep their messages until all are done.
      if (context.isBatchEntry) context.record = observe.bind(undefined, observed);
      else observe(observed);
    });
    next();
  };
}

/** Writes one line per request, as the logger would: pino takes a twentieth of the time of a poll more (docs/adr/0013). */
export function logRequest(logger: Logger, output: DestinationStream, request: Observed): void {
  const level = levelOf(request);
  if (!logger.isLevelEnabled(level)) return;
  const { failure } = request;
  const stack = level === 'error' ? (failure as Error | null | undefined)?.stack : undefined;
  const members = failure === undefined ? request : { ...request, failure: undefined, error: reasonOf(failure), stack };
  output.write(`{"level":"${level}"${timestamp()},${JSON.stringify(members).slice(1)}\n`);
}

/** Bugs are errors, unavailable backends are warnings; the frequent health checks are logged at `debug`. */
function levelOf({ status = 0, route }: Observed): 'error' | 'warn' | 'info' | 'debug' {
  if (/\/__(lbheartbeat|heartbeat|version)__$/.test(route)) return 'debug';
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return 'info';
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'a value that is not an Error was thrown';
  return failure.cause ? `${failure.message}: ${reasonOf(failure.cause)}` : `${failure.name}: ${failure.message}`;
}
