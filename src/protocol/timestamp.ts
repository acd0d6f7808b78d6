/** Milliseconds since the Unix epoch, unique among the timestamps of one user. */
export type Timestamp = number;

/** The last millisecond of the year 9999: out of reach of any clock, with room for successors within safe integers. */
export const MAX_TIMESTAMP: Timestamp = 253_402_300_799_999;

/** True for a timestamp that a collection's clock can continue from. */
export const isUsableTimestamp = (value: unknown): value is Timestamp =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TIMESTAMP;
