import { allAccounts } from './all-accounts.js';
import { type Command, EXIT } from './command.js';

/** Lists the users by key; names are not stored. */
export const userListCommand: Command = {
  name: 'user list',
  summary: 'List the users by key',
  help: `[--json]

Prints a line for each user: key, number of live articles, time of the latest change. Names are not stored anywhere:
the first line of "user export --subject NAME" has the key of a user you know.

  --json  one JSON object per line

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: { json: { type: 'boolean' } },
  needsDatabase: true,
  async run({ options, database, print }) {
    for await (const { account, live_count, last_modified, purged_until } of allAccounts(database)) {
      const key = account.toString('hex');
      const changed = new Date(last_modified).toISOString();
      await print(
        options.json
          ? JSON.stringify({ account: key, live_count, last_modified, purged_until })
          : `${key} ${String(live_count).padStart(7)} ${changed}`,
      );
    }
    return EXIT.ok;
  },
};
