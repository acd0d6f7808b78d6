/** State of the service that shows in the headers of its answers. */
export interface ServiceState {
  /** Seconds for `Backoff`; undefined while the load is normal. */
  backoffSeconds?: number;
  retryAfterSeconds: number;
  /** JSON text of the `Alert` header; undefined while no end of support is announced. */
  alert?: string;
}

const EXPOSED = 'Backoff, Retry-After, Last-Modified, Alert';
const EXPOSED_ON_COLLECTION = `${EXPOSED}, Total-Records, Next-Page`;

/** The headers that every answer carries, whatever its status (docs/protocol.md, "Headers"). */
export function baseHeaders(method: string, path: string): Record<string, string> {
  const onCollection = path === '/v2/articles' && (method === 'GET' || method === 'HEAD' || method === 'POST');
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': onCollection ? EXPOSED_ON_COLLECTION : EXPOSED,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}

/**
 * The headers that depend on the status: `Backoff` on 200-399 under load, `Retry-After` on 500 and above and on 429,
 * `Alert` on all while it is set.
 */
export function statusHeaders(status: number, state: ServiceState): Record<string, string> {
  const headers: Record<string, string> = {};
  if (state.alert !== undefined) headers['Alert'] = state.alert;
  if (state.backoffSeconds !== undefined && status >= 200 && status < 400)
    headers['Backoff'] = String(state.backoffSeconds);
  if (status >= 500 || status === 429) headers['Retry-After'] = String(state.retryAfterSeconds);
  return headers;
}
