import type { Filter } from './collection-query.js';
import type { Timestamp } from './timestamp.js';

/** Header of a listing that may lack deletions (docs/protocol.md, "Tombstone retention"). */
export const START_OVER_HEADER = 'Start-Over';

/**
 * True when a listing asks for changes since a time for which tombstones are already gone: the device would miss
 * deletions and has to start over. A listing from the beginning of time needs no tombstones.
 * @param purgedUntil timestamp of the latest change whose tombstone was purged, 0 when none was
 */
export function mustStartOver(filters: readonly Filter[], purgedUntil: Timestamp): boolean {
  const since = Math.max(...filters.map(seenUntil));
  return since > 0 && since < purgedUntil;
}

/** The latest timestamp that the filter excludes because the device has already seen it. */
function seenUntil({ field, operator, value }: Filter): number {
  if (field !== 'last_modified') return 0;
  if (operator === 'gt') return Number(value);
  return operator === 'min' || operator === 'eq' ? Number(value) - 1 : 0;
}
