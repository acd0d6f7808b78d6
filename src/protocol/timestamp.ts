/** Milliseconds since the Unix epoch; of all timestamps of one user no two are equal. */
export type Timestamp = number;
