/** What a strategy sees of a request: tokens in a query string or body do not count. */
export interface Presented {
  headers: { authorization?: string };
  /** The IP address that the request came from. */
  address: () => string;
  /** Counts the request for its IP address, once. Throws 429 / 117 beyond the rate limit. */
  count: () => Promise<void>;
}
