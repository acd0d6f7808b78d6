import type { Filter } from './collection-query.js';
import type { Timestamp } from './timestamp.js';

/** Header of a listing from which deletions may be missing (docs/protocol.md, "Tombstone retention"). */
export const START_OVER_HEADER = 'Start-Over';

/**
 * True when a listing asks for changes since a time of which tombstones are gone, so that the device cannot learn of all
 * deletions from it and has to start over. Whoever asks from the beginning of time has nothing to lose.
 * @param purgedUntil timestamp of the latest change whose tombstone was purged, 0 when none was
 */
export function mustStartOver(filters: readonly Filter[], purgedUntil: Timestamp): boolean {
  const since = Math.max(...filters.map(seenUntil));
  return since > 0 && since < purgedUntil;
}

/** The latest timestamp that the filter leaves out because the device has seen it. */
function seenUntil({ field, operator, value }: Filter): number {
  if (field !== 'last_modified') return 0;
  if (operator === 'gt') return Number(value);
  return operator === 'min' || operator === 'eq' ? Number(value) - 1 : 0;
}
