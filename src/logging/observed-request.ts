import type { Request, Response } from 'express';
import { isBatchEntry } from './batch-entry.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const USER_BYTES = 6;

/** What a finished request may be remembered by: nothing here comes from a URL, a body or credentials as they were sent. */
export class ObservedRequest {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
    readonly durationMs: number,
  ) {}

  get id(): string {
    return this.request.headers['x-request-id'] as string;
  }

  /** The path as the service declares it, parameters as `:name`; `unmatched` for all other paths together. */
  get route(): string {
    return (this.request.route as { path: string } | undefined)?.path ?? 'unmatched';
  }

  get method(): string {
    return METHODS.has(this.request.method) ? this.request.method : 'other';
  }

  /** Undefined when the client went away before it had its answer. */
  get status(): number | undefined {
    return this.response.writableEnded ? this.response.statusCode : undefined;
  }

  get errno(): number | undefined {
    return this.response.locals.errno as number | undefined;
  }

  /** What went wrong on our side: a defect, or why a backend could not be asked. */
  get failure(): unknown {
    return this.response.locals.failure as unknown;
  }

  /** The beginning of the account's key in hexadecimal; undefined for strangers. */
  get user(): string | undefined {
    return this.caller?.account.toString('hex', 0, USER_BYTES);
  }

  /** SQL statements that were sent for it, those of the entries of a batch included; undefined for strangers. */
  get statements(): number | undefined {
    return this.caller?.statements;
  }

  private get caller() {
    return (this.request as { caller?: { account: Buffer; statements: number } }).caller;
  }

  get isBatchEntry(): boolean {
    return isBatchEntry(this.request);
  }
}
