/**
 * How many headers a request may have, also as an entry of a batch: each costs much more memory and time than its bytes.
 * Node's own limit would silently drop the last ones.
 */
export const MAX_HEADERS = 1_000;

/** True for a request with too many headers; `rawHeaders` has names and values in turn. */
export const hasTooManyHeaders = ({ rawHeaders }: { rawHeaders: readonly string[] }): boolean =>
  rawHeaders.length > 2 * MAX_HEADERS;
