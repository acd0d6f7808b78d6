import type { Command } from 'commander';
import { EXIT } from './command.js';
import type { Shell } from './shell.js';
import { allAccounts } from './user-options.js';

/** `user list`: lists the users by key; names are not stored. */
export function addUserList(commands: Command, shell: Shell): void {
  commands
    .command('list')
    .summary('List the users by key')
    .description(
      'Prints a line for each user: key, number of live articles, time of the latest change. Names are not stored anywhere: the first line of "user export --subject NAME" has the key of a user you know.',
    )
    .option('--json', 'one JSON object per line')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage')
    .action(({ json }: { json?: boolean }) =>
      shell.withDatabase(async ({ database, print }) => {
        for await (const { account, live_count, last_modified, purged_until } of allAccounts(database)) {
          const key = account.toString('hex');
          const changed = new Date(last_modified).toISOString();
          await print(
            json
              ? JSON.stringify({ account: key, live_count, last_modified, purged_until })
              : `${key} ${String(live_count).padStart(7)} ${changed}`,
          );
        }
        return EXIT.ok;
      }),
    );
}
