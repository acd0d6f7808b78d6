/** The `Alert` header, such as a warning of the end of support. */
export interface Alert {
  code: string;
  message?: string;
  url?: string;
}

/** A header that holds a non-negative integer; undefined when it is absent or anything else. */
export function readInteger(headers: Headers, name: string): number | undefined {
  const value = headers.get(name)?.trim();
  return value && /^\d{1,16}$/.test(value) ? Number(value) : undefined;
}

/** `Retry-After` in seconds, from seconds or an HTTP date, which counts from the `Date` of the response, if it can be read. */
export function readRetryAfter(headers: Headers): number | undefined {
  const dateOf = (name: string) => Date.parse(headers.get(name) ?? '');
  const seconds = (dateOf('Retry-After') - (dateOf('Date') || Date.now())) / 1000;
  return readInteger(headers, 'Retry-After') ?? (Number.isNaN(seconds) ? undefined : Math.max(0, seconds));
}

/** The `Alert` header; undefined if absent or not understood. */
export function readAlert(headers: Headers): Alert | undefined {
  const { code, message, url } = Object(parse(headers.get('Alert') ?? '')) as Partial<Alert>;
  return typeof code === 'string' ? { code, ...textsOf({ message, url }) } : undefined;
}

const textsOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));

/** The JSON of a text; undefined if it has none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** N of `Preference-Applied: wait=N`: the service held the request, or would have. */
export function readGrantedWait(headers: Headers): number | undefined {
  const granted = /\bwait=(\d+)/.exec(headers.get('Preference-Applied') ?? '');
  return granted ? Number(granted[1]) : undefined;
}
