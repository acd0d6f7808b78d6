/** Something wrong with an account's data, or with the database as a whole. */
export interface Problem {
  /** What is wrong, in words that name records and numbers but no content. */
  text: string;
  /** Puts it right; absent where a person has to decide. Rejects as a `duplicate` where two records need the same value. */
  repair?: () => Promise<unknown>;
  /** What to do where it cannot be repaired. */
  advice?: string;
  /** Whether nothing else can be examined with it. */
  isBlocking?: boolean;
}
