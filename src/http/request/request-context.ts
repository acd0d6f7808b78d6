import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express lets an application add to its requests this way.
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
  /** The value of `X-Request-Id`. */
  id = '';
  /** SQL statements that were sent for it, including those of its batch entries. */
  statements = 0;
  /** For an entry of a batch that was counted for the rate limit beforehand; rejects with the error that refuses it. */
  admission?: Promise<void>;
  /** For an entry of a batch: logs and measures it. Set when it is over, called when the batch is, as it may run again. */
  record?: () => void;
  /** Whether anything is behind it on its connection, which could hide that the client is gone, and what that calls. */
  isFollowed?: () => boolean;
  onFollowed?: () => void;
  heldMs?: number;
  errno?: number;
  /** What went wrong on our side: a bug, or why a backend was unavailable. */
  failure?: unknown;
  private responses?: ((bytes: number) => void)[] = [];
  private ends?: (() => void)[] = [];
  private controller?: AbortController;

  constructor(readonly isBatchEntry = false) {}

  /** Calls `action` once: with the body's size when the response is complete, with 0 if the request ends without. */
  whenResponded(action: (bytes: number) => void): void {
    if (this.responses) this.responses.push(action);
    else action(0);
  }

  /** Calls `action` once: when the operating system has the response or the connection is gone, or at once if it is. */
  whenOver(action: () => void): void {
    if (this.ends) this.ends.push(action);
    else action();
  }

  /** Fires when the request ends without a response. Made on demand, as few requests need one. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (!this.ends) this.controller.abort();
    return this.controller.signal;
  }

  /** The response is complete; the client may still have to read it. */
  responded(bytes = 0): void {
    const actions = this.responses ?? [];
    this.responses = undefined;
    for (const action of actions) action(bytes);
  }

  over(): void {
    const hadResponse = !this.responses;
    this.responded();
    const ends = this.ends ?? [];
    this.ends = undefined;
    for (const action of ends) action();
    // Once there is a response, nothing waits any more, and an abort takes as long as a short statement.
    if (!hadResponse) this.controller?.abort();
  }
}

/** The request of a guard's or decorator's context. `switchToHttp()` would create three functions per call. */
export const requestOf = (context: ExecutionContext): Request => context.getArgByIndex<Request>(0);
