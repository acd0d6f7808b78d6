/** What headers show of the service: `Backoff` where clients shall back off, `Alert` once an end of support is announced. */
type ServiceState = { retryAfterSeconds: number; backoffSeconds?: number; alert?: string };

const exposing = (...names: string[]): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': ['Backoff, Retry-After, Last-Modified, Alert, X-Request-Id', ...names].join(', '),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});

const ANYWHERE = exposing();
const ON_CREATION = exposing('Total-Records, Next-Page');
const ON_LISTING = exposing('Total-Records, Next-Page, Start-Over, Preference-Applied');

/** The headers of every response, whatever its status (docs/protocol.md, "Headers"). */
export function baseHeaders(method: string, path: string): Readonly<Record<string, string>> {
  if (path !== '/v2/articles') return ANYWHERE;
  if (method === 'GET' || method === 'HEAD') return ON_LISTING;
  return method === 'POST' ? ON_CREATION : ANYWHERE;
}

/** The headers that depend on the status or the state of the service (docs/protocol.md, "Headers"). */
export function statusHeaders(status: number, state: ServiceState): Record<string, string> {
  const headers: Record<string, string> = {};
  if (state.alert !== undefined) headers['Alert'] = state.alert;
  if (state.backoffSeconds !== undefined && status >= 200 && status < 400)
    headers['Backoff'] = String(state.backoffSeconds);
  if (status >= 500 || status === 429) headers['Retry-After'] = String(state.retryAfterSeconds);
  return headers;
}

/** The announced end of support: its date (`yyyy-mm-dd`) and the contents of the `Alert` header. */
export interface EndOfService {
  date: string;
  message?: string;
  url?: string;
}

const DAY_MS = 86_400_000;

/** True from the day after the end-of-support date (UTC). */
export const isPastEnd = (end: EndOfService, now: number): boolean => now >= Date.parse(end.date) + DAY_MS;

/** The `Alert` header: `soft-eol` up to the date, `hard-eol` after it; ASCII only, as a header value has to be. */
export function alertHeader(end: EndOfService, now: number): string {
  const code = isPastEnd(end, now) ? 'hard-eol' : 'soft-eol';
  const json = JSON.stringify({ code, message: end.message, url: end.url });
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
