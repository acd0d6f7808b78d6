import type { Logger } from 'pino';
import type { RequestObserver } from './observe-requests.js';
import type { ObservedRequest } from './observed-request.js';

/** Writes one line for each request, at the level that `levelOf` gives it; builds nothing for a level that is off. */
export function requestLog(logger: Logger): RequestObserver {
  return (observed) => {
    const level = levelOf(observed);
    if (!logger.isLevelEnabled(level)) return;
    const failure = observed.failure === undefined ? undefined : describe(observed.failure, level);
    logger[level]({
      requestId: observed.id,
      user: observed.user,
      method: observed.method,
      route: observed.route,
      status: observed.status,
      errno: observed.errno,
      ms: Math.round(observed.durationMs * 10) / 10,
      sql: observed.statements,
      batchEntry: observed.isBatchEntry || undefined,
      aborted: observed.status === undefined || undefined,
      error: failure?.error,
      stack: failure?.stack,
    });
  };
}

/** Defects are errors, backends that are away warnings; health checks, which come all the time, only show at `debug`. */
function levelOf({ status = 0, route }: ObservedRequest): 'error' | 'warn' | 'info' | 'debug' {
  if (route.endsWith('heartbeat__')) return 'debug';
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return 'info';
}

/** What went wrong, and where a defect comes from; a backend that is away needs no stack. */
const describe = (failure: unknown, level: string) => ({
  error: reasonOf(failure),
  stack: level === 'error' ? (failure as Error | null)?.stack : undefined,
});

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'something that is no Error was thrown';
  return failure.cause ? `${failure.message}: ${reasonOf(failure.cause)}` : `${failure.name}: ${failure.message}`;
}
