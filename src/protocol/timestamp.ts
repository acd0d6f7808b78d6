/** Milliseconds since the Unix epoch; of all timestamps of one user no two are equal. */
export type Timestamp = number;

/** The timestamp of a user's next change: later than all before, and the present time unless that is behind. */
export const nextTimestamp = (previous: Timestamp, now: Timestamp): Timestamp => Math.max(previous + 1, now);
