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

/** `Retry-After` in seconds, from seconds or an HTTP date. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const date = Date.parse(value);
  return readInteger(headers, 'Retry-After') ?? (Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000));
}

/** The `Alert` header; undefined if absent or not understood. */
export function readAlert(headers: Headers): Alert | undefined {
  const value = headers.get('Alert');
  if (value === null) return undefined;
  try {
    const alert = JSON.parse(value) as Alert | null;
    return typeof alert?.code === 'string' ? alert : undefined;
  } catch {
    return undefined;
  }
}

/** N of `Preference-Applied: wait=N`: the service held the request, or would have. */
export function readGrantedWait(headers: Headers): number | undefined {
  const granted = /\bwait=(\d+)/.exec(headers.get('Preference-Applied') ?? '');
  return granted ? Number(granted[1]) : undefined;
}
