/**
 * What the response to a PATCH contains: the record, the fields it changed, or the fields that differ from those sent.
 */
export type ResponseBehavior = 'full' | 'light' | 'diff';

/** Reads the `Response-Behavior` header; anything unknown means `full` (docs/protocol.md, "PATCH"). */
export function readResponseBehavior(header: string | string[] | undefined): ResponseBehavior {
  const value = String(header ?? '')
    .trim()
    .toLowerCase();
  return value === 'light' || value === 'diff' ? value : 'full';
}
