import { type Command, InvalidArgumentError } from 'commander';
import { accountsAfter, everyAccount } from '../accounts/accounts.store.js';
import { storedItems } from '../articles/store/transfer.store.js';
import { isUsableTimestamp } from '../protocol/timestamp.js';
import { eraseUser } from '../purge/purge.store.js';
import { counted, DAMAGED, EXIT, type Shell, shownTime } from './shell.js';
import { addUserOptions, keyFor, namedUser, requireAccount, requireUser, type UserOptions } from './user-options.js';

export const addUserList = (commands: Command, shell: Shell): Command =>
  commands
    .command('list')
    .summary('List the users by key')
    .description(
      'Prints a line for each user: key, number of live articles, time of the latest change. There are no names in it, as these are stored only with personal tokens (see "token list"). To find the key of a user you know, look at the first line of "user export --subject NAME".',
    )
    .option('--json', 'one JSON object per line')
    .action(({ json }: { json?: boolean }) =>
      shell.withDatabase(async ({ database, print }) => {
        let isDamaged = false;
        for await (const row of everyAccount(database, accountsAfter)) {
          const { live_count, last_modified, purged_until } = row;
          const account = row.account.toString('hex');
          isDamaged ||= !isUsableTimestamp(last_modified);
          const line = `${account} ${String(live_count).padStart(7)} ${shownTime(last_modified)}`;
          await print(json ? JSON.stringify({ account, live_count, last_modified, purged_until }) : line);
        }
        if (isDamaged && !json) await print(DAMAGED);
        return isDamaged ? EXIT.attention : EXIT.ok;
      }),
    );

export const addUserExport = (commands: Command, shell: Shell): Command =>
  addUserOptions(commands.command('export').option('--all', 'all users'))
    .summary("Write a user's whole list as JSON lines")
    .description(
      'Writes to standard output, for each user, a line with the account and then a line for each article and each tombstone, as the API shows them, oldest change first. Personal tokens are not in it. "user import" reads it. The service can keep running: what changes during the export is exported as it was before or after the change, or both. This format loses nothing. The web application also writes CSV, which loses who added and who read an article, when it was read, the page\'s own title and fractions of seconds, and bookmarks (HTML), which keep address, title, excerpt, date, unread and favourite only.',
    )
    .action((options: UserOptions & { all?: boolean }) => {
      const user = namedUser(options);
      if (Boolean(options.all) === (user !== undefined))
        throw new InvalidArgumentError('Name one user with --key, --subject, --local or --basic, or use --all.');
      return shell.withDatabase(async (context) => {
        const { database, print, progress } = context;
        const named = user && (await requireAccount(context, user, await keyFor(context, user)));
        context.audit('user export', user?.name ?? 'all users', named?.account);
        let users = 0;
        for await (const row of named ? [named] : everyAccount(database, accountsAfter)) {
          const { last_modified, live_count, purged_until } = row;
          const account = row.account.toString('hex');
          if (!(await print(JSON.stringify({ account, last_modified, live_count, purged_until })))) return;
          for await (const item of storedItems(database, row)) if (!(await print(JSON.stringify(item)))) return;
          progress(`${counted(++users, 'user')} so far`);
        }
      });
    });

export const addUserErase = (commands: Command, shell: Shell): Command =>
  addUserOptions(commands.command('erase'))
    .summary("Delete a user's whole list for good")
    .description(
      'Deletes the user\'s articles, tombstones and account in small chunks. Personal tokens stay; revoke them with "token revoke". If it is interrupted, repeat it. Delete backups and exported files yourself. Devices that still sign in start with an empty list.',
    )
    .option('--dry-run', 'only say what would be erased')
    .action((options: UserOptions & { dryRun?: boolean }) => {
      const user = requireUser(namedUser(options));
      return shell.withDatabase(async (context) => {
        const { database, print, progress } = context;
        const { account, live_count } = await requireAccount(context, user, await keyFor(context, user));
        const key = account.toString('hex');
        context.audit(`user erase${options.dryRun ? ' --dry-run' : ''}`, user.name, account);
        if (options.dryRun)
          return void (await print(`would erase ${counted(live_count, 'article')} and all tombstones of ${key}`));
        let erased = 0;
        for await (erased of eraseUser(database, account)) progress(`${erased} articles and tombstones so far`);
        await print(`erased ${erased} articles and tombstones of ${key}`);
      });
    });
