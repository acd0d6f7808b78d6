/** What `Access-Control-Expose-Headers` has to say on every response, on a POST of an article, and on listings. */
export const EVERYWHERE = 'Backoff, Retry-After, Last-Modified, Alert, X-Request-Id';
export const ON_CREATION = `${EVERYWHERE}, Total-Records, Next-Page`;
export const ON_LISTING = `${ON_CREATION}, Start-Over, Preference-Applied`;
