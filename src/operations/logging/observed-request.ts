import type { Request, Response } from 'express';
import type { ApiError } from '../../protocol/api-error.js';
import { ANY_PATH } from '../../http/routing/known-paths.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const USER_BYTES = 6;
const UNMATCHED = 'unmatched';
const OTHER = 'other';

/** What may be recorded about a finished request: nothing here is copied from its URL, body or credentials. */
export type Observed = Pick<ObservedRequest, keyof ObservedRequest>;

/** A request that reached the application. */
export class ObservedRequest {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
    private readonly openMs: number,
  ) {}

  /** How long the response took, not counting the time the request was held. */
  get durationMs(): number {
    return this.openMs - (this.heldMs ?? 0);
  }

  /** How long the request was held; undefined if it was not. */
  get heldMs(): number | undefined {
    return this.request.context.heldMs;
  }

  get id(): string {
    return this.request.context.id;
  }

  /** The path as declared, with parameters as `:name`; `unmatched` for all other paths. */
  get route(): string {
    const path = (this.request.route as { path: string } | undefined)?.path ?? ANY_PATH;
    return path === ANY_PATH ? UNMATCHED : path;
  }

  get method(): string {
    return METHODS.has(this.request.method) ? this.request.method : OTHER;
  }

  /** Undefined when the client went away before the response. */
  get status(): number | undefined {
    return this.response.writableEnded ? this.response.statusCode : undefined;
  }

  get errno(): number | undefined {
    return this.request.context.errno;
  }

  /** What went wrong on our side: a bug, or why a backend was unavailable. */
  get failure(): unknown {
    return this.request.context.failure;
  }

  /** A prefix of the account's key in hexadecimal; undefined if not authenticated. */
  get user(): string | undefined {
    return this.request.caller?.account.toString('hex', 0, USER_BYTES);
  }

  /** SQL statements that were sent for it, including those of its batch entries; undefined if not authenticated. */
  get statements(): number | undefined {
    return this.request.caller?.statements;
  }

  get isBatchEntry(): boolean {
    return this.request.context.isBatchEntry;
  }
}

/** A request that was refused on its connection because Node could not parse it. */
export const refusedConnection = (id: string, { status, errno }: ApiError): Observed => ({
  id,
  status,
  errno,
  route: UNMATCHED,
  method: OTHER,
  durationMs: 0,
  heldMs: undefined,
  failure: undefined,
  user: undefined,
  statements: undefined,
  isBatchEntry: false,
});
