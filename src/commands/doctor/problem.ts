/** Something wrong with an account's data, or with the database as a whole. */
export interface Problem {
  /** What is wrong; may name records and numbers but no content. */
  text: string;
  /**
   * Repairs it; absent if a person has to decide. Rejects with a `duplicate` failure when two records need the same
   * unique value.
   */
  repair?: () => Promise<unknown>;
  /** What to do if it cannot be repaired. */
  advice?: string;
  /** Whether it makes further examination impossible. */
  isBlocking?: boolean;
}
