import type { Article, Tombstone } from '../../articles/article.js';
import { CommandError, type CommandContext, EXIT } from '../command.js';
import { namesUser, userOf } from '../user-options.js';
import { AccountImport } from './account-import.js';
import { readOwnLine } from './own-lines.js';
import type { AccountState } from './store-items.js';

/** Imports what `user export` wrote, under the account that the file or else the options name. Resolves with the exit code. */
export async function importOwnLines(context: CommandContext, lines: AsyncIterable<string>): Promise<number> {
  const target = new Target(context, namesUser(context) ? await userOf(context) : undefined);
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text === '') continue;
    const line = readOwnLine(text, number);
    if ('item' in line) await target.add(line.item);
    else await target.begin(line.account, line.state, number);
  }
  await context.print(await target.finish());
  return EXIT.ok;
}

/** The accounts that the lines go to, one after the other; none in a dry run. */
class Target {
  private readonly counts = { stored: 0, known: 0 };
  private users = 0;
  private items = 0;
  private current?: AccountImport;

  /** @param named the account for the lines, whatever the file says */
  constructor(
    private readonly context: CommandContext,
    private readonly named: Buffer | undefined,
  ) {}

  async begin(account: Buffer, state: AccountState, line: number): Promise<void> {
    if (this.named && this.users > 0)
      throw new CommandError(`line ${line}: another user; leave out the user to import them all`);
    this.users++;
    await this.current?.finish();
    const { database, clock, options } = this.context;
    if (!options['dry-run'])
      this.current = await AccountImport.restoring(database, clock, this.named ?? account, state, this.counts);
  }

  async add(item: Article | Tombstone): Promise<void> {
    if (this.users === 0)
      throw new CommandError('line 1: the account is missing; is this the whole of a "user export"?');
    this.items++;
    await this.current?.add(item);
    this.context.progress(`${this.items} articles and tombstones of ${this.users} users so far`);
  }

  /** Stores what is left and says what was done. */
  async finish(): Promise<string> {
    await this.current?.finish();
    const { stored, known } = this.counts;
    if (this.context.options['dry-run'])
      return `would import ${this.items} articles and tombstones of ${this.users} users`;
    return `imported ${stored} articles and tombstones of ${this.users} users, ${known} were there`;
  }
}
