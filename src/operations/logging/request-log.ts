import type { Logger } from 'pino';
import type { Observed, RequestObserver } from './observed-request.js';

/** Writes one line per request. */
export const requestLog =
  (logger: Logger): RequestObserver =>
  (observed) => {
    const level = levelOf(observed);
    if (logger.isLevelEnabled(level)) logger[level](entryOf(observed, level));
  };

const entryOf = (observed: Observed, level: string) => ({
  requestId: observed.id,
  user: observed.user,
  method: observed.method,
  route: observed.route,
  status: observed.status,
  errno: observed.errno,
  ms: Math.round(observed.durationMs * 10) / 10,
  heldMs: observed.heldMs === undefined ? undefined : Math.round(observed.heldMs),
  sql: observed.statements,
  batchEntry: observed.isBatchEntry || undefined,
  aborted: observed.status === undefined || undefined,
  ...(observed.failure === undefined ? {} : describe(observed.failure, level)),
});

/** Bugs are errors, unavailable backends are warnings; the frequent health checks are logged at `debug`. */
function levelOf({ status = 0, route }: Observed): 'error' | 'warn' | 'info' | 'debug' {
  if (route.endsWith('heartbeat__')) return 'debug';
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return 'info';
}

/** What went wrong, with a stack only for bugs. */
const describe = (failure: unknown, level: string) => ({
  error: reasonOf(failure),
  stack: level === 'error' ? (failure as Error | null)?.stack : undefined,
});

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'a value that is not an Error was thrown';
  return failure.cause ? `${failure.message}: ${reasonOf(failure.cause)}` : `${failure.name}: ${failure.message}`;
}
