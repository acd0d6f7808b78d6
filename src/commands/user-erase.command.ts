import type { Command } from 'commander';
import { eraseUser } from '../purge/erase-user.js';
import { EXIT } from './command.js';
import type { Shell } from './shell.js';
import { addUserOptions, requireAccount, requireOneUser, type UserOptions, whoseOf } from './user-options.js';

/** `user erase`: permanently deletes everything that is stored of a user. */
export function addUserErase(commands: Command, shell: Shell): void {
  const command = commands
    .command('erase')
    .summary('Delete all that is stored of a user, for good')
    .description(
      "Deletes the user's articles, tombstones and account in small chunks; the database keeps nothing. It can be repeated when it was interrupted. Delete backups and exported files yourself. Devices that still sign in start with an empty list.",
    );
  addUserOptions(command)
    .option('--dry-run', 'only say what there is')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or no such user, 2 wrong usage')
    .action(({ dryRun, ...user }: UserOptions & { dryRun?: boolean }) => {
      requireOneUser(user);
      return shell.withDatabase(async (context) => {
        const { print, progress } = context;
        const { account, live_count } = await requireAccount(context, user);
        const key = account.toString('hex');
        context.audit(`user erase${dryRun ? ' --dry-run' : ''}`, whoseOf(user), account);
        if (dryRun) {
          await print(`would erase ${live_count} articles and all tombstones of ${key}`);
          return EXIT.ok;
        }
        let erased = 0;
        for await (erased of eraseUser(context.database, account)) progress(`${erased} articles and tombstones so far`);
        await print(`erased ${erased} articles and tombstones of ${key}`);
        return EXIT.ok;
      });
    });
}
