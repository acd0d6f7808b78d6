/** Milliseconds since the Unix epoch; of all timestamps of one user no two are equal. */
export type Timestamp = number;

/** The last millisecond of the year 9999: no clock gets there, and each of the timestamps up to it has a successor. */
export const LATEST_TIMESTAMP: Timestamp = 253_402_300_799_999;

/** True for a timestamp that a collection's clock may have and go on from. */
export const isUsableTimestamp = (value: unknown): value is Timestamp =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LATEST_TIMESTAMP;
