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
