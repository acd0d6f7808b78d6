import type { Request, Response } from 'express';
import type { ApiError } from '../../protocol/api-error.js';
import { ANY_PATH } from '../../http/routing/unmatched.controller.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const USER_BYTES = 6;
const UNMATCHED = 'unmatched';
const OTHER = 'other';

/** What a finished request may be remembered by: nothing here comes from a URL, a body or credentials as they were sent. */
export type Observed = Pick<ObservedRequest, keyof ObservedRequest>;

/** A request that reached the application. */
export class ObservedRequest {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
    private readonly openMs: number,
  ) {}

  /** How long the answer took, without the time for which the request was held on purpose. */
  get durationMs(): number {
    return this.openMs - (this.heldMs ?? 0);
  }

  /** How long it was held until something changed; undefined for a request that was not. */
  get heldMs(): number | undefined {
    return this.request.context.heldMs;
  }

  get id(): string {
    return this.request.context.id;
  }

  /** The path as the service declares it, parameters as `:name`; `unmatched` for all other paths together. */
  get route(): string {
    const path = (this.request.route as { path: string } | undefined)?.path ?? ANY_PATH;
    return path === ANY_PATH ? UNMATCHED : path;
  }

  get method(): string {
    return METHODS.has(this.request.method) ? this.request.method : OTHER;
  }

  /** Undefined when the client went away before it had its answer. */
  get status(): number | undefined {
    return this.response.writableEnded ? this.response.statusCode : undefined;
  }

  get errno(): number | undefined {
    return this.request.context.errno;
  }

  /** What went wrong on our side: a defect, or why a backend could not be asked. */
  get failure(): unknown {
    return this.request.context.failure;
  }

  /** The beginning of the account's key in hexadecimal; undefined for strangers. */
  get user(): string | undefined {
    return this.request.context.account?.toString('hex', 0, USER_BYTES);
  }

  /** SQL statements that were sent for it, those of the entries of a batch included; undefined for strangers. */
  get statements(): number | undefined {
    const { account, statements } = this.request.context;
    return account && statements;
  }

  get isBatchEntry(): boolean {
    return this.request.context.isBatchEntry;
  }
}

/** What was refused on its connection, before it was a request. */
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
