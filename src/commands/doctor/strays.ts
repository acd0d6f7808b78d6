import { countStrayKeys, STRAY_KEY } from '../../accounts/account-checks.store.js';
import type { Database } from '../../database/database.js';
import { tokensWithoutTime } from './checks.store.js';
import type { Problem } from './problem.js';

/** Rows that belong to nobody, and tokens that nobody can tell the end of. */
export async function examineStrays(database: Database): Promise<Problem[]> {
  const tokens = await database.onSession(tokensWithoutTime);
  const problems: Problem[] = tokens.map(({ subject, name }) => ({
    text: `the token "${name}" of ${subject} has a time that is no number`,
    advice: `token revoke ${subject} --name "${name}", and make another`,
  }));
  // A column of fixed length cannot hold such a key; of another length, it is a fault of the schema.
  if (!database.dialect.isLocal) return problems;
  const stray = await database.onSession(countStrayKeys);
  for (const table of ['accounts', 'articles'] as const)
    if (stray[table] > 0)
      problems.push({
        text: `${stray[table]} rows of ${table} have a key that is not 16 bytes long, which no user can reach`,
        advice: `keep a backup, then: DELETE FROM ${table} WHERE ${STRAY_KEY}`,
      });
  return problems;
}
