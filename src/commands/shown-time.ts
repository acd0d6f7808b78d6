import { isUsableTimestamp } from '../protocol/timestamp.js';

/** A stored time in ISO 8601; what cannot be a time, which `doctor` finds, as it is stored. */
export const shownTime = (stored: unknown): string =>
  isUsableTimestamp(stored) ? new Date(stored).toISOString() : `not a time (${JSON.stringify(stored)})`;

export const DAMAGED = 'damaged values: "doctor" says what to do';
