import { countStrayKeys, STRAY_KEY } from '../../accounts/account-checks.store.js';
import type { Database } from '../../database/database.js';
import { tokensWithoutTime } from './checks.store.js';
import type { Problem } from './problem.js';

/** Finds rows that belong to nobody, and tokens whose expiry is unknown. */
export async function examineStrays(database: Database): Promise<Problem[]> {
  const tokens = await database.onSession(tokensWithoutTime);
  const problems: Problem[] = tokens.map(({ subject, name }) => ({
    text: `the token "${name}" of ${subject} has a time that is not a number`,
    advice: `token revoke ${subject} --name "${name}", and make another`,
  }));
  // A server's fixed-length column cannot hold such keys; a column of another length is a schema problem.
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
