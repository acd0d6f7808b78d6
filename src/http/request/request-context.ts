import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Timestamp } from '../../protocol/timestamp.js';

declare global {
  // The namespace is how Express lets an application add to its requests.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set before the first middleware runs. */
      context: RequestContext;
    }
  }
}

/** What the service knows about one request, whether it came over a connection or as an entry of a batch. */
export class RequestContext {
  readonly startedAt = performance.now();
  /** What goes back in `X-Request-Id` and stands in the log. */
  id = '';
  /** The 16 bytes of the user's key; undefined until somebody has found out who sent the request. */
  account?: Buffer;
  /** When the token expires, in milliseconds since the epoch; undefined where that is unknown. */
  expiresAt?: number;
  /** SQL statements that were sent for it, those of the entries of a batch included. */
  statements = 0;
  /** True where its rate limit was charged with another request. */
  isCounted = false;
  /** For how many milliseconds it was held until something changed; undefined where it was not. */
  heldMs?: number;
  /** The seconds that a poll was granted to wait; `unchanged`: what its answer is about, when nothing changed in that time. */
  wait?: { seconds: number; unchanged?: Timestamp };
  /** The number of the error that it was answered with. */
  errno?: number;
  /** What went wrong on our side: a defect, or why a backend could not be asked. */
  failure?: unknown;
  private readonly ends: (() => void)[] = [];
  private readonly answers: (() => void)[] = [];
  private isAnswered = false;
  private isOver = false;

  constructor(readonly isBatchEntry = false) {}

  /** Calls `action` exactly once: when the response is complete, or at the latest when the request is over. */
  whenAnswered(action: () => void): void {
    if (this.isAnswered) action();
    else this.answers.push(action);
  }

  /**
   * Calls `action` exactly once: when the response was handed to the system or the connection is gone, whichever is first;
   * at once where it is gone already.
   */
  whenOver(action: () => void): void {
    if (this.isOver) action();
    else this.ends.push(action);
  }

  /** The response is complete; the client may still have to read it. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    for (const action of this.answers) action();
  }

  /** Nothing will be sent any more. */
  over(): void {
    if (this.isOver) return;
    this.answered();
    this.isOver = true;
    for (const action of this.ends) action();
  }
}

/** A request of the HTTP server with its context. */
export type ContextualRequest = IncomingMessage & { context: RequestContext };

/** Gives a request its context, which ends with the response. */
export function beginContext(request: IncomingMessage, response: ServerResponse, isBatchEntry = false): RequestContext {
  const context = new RequestContext(isBatchEntry);
  (request as ContextualRequest).context = context;
  response.once('close', () => context.over());
  return context;
}

/** The context of the request that a response belongs to; undefined for responses made by nobody's request. */
export const contextOf = ({ req }: ServerResponse): RequestContext | undefined => (req as ContextualRequest).context;
