import { ReadError } from '@reading-list/formats';
import type { Article, Tombstone } from '../../articles/article.js';
import { CommandError, type DatabaseContext, EXIT } from '../command.js';
import { namesUser, type UserOptions, userOf, whoseOf } from '../user-options.js';
import { AccountImport, type ImportOptions, noneYet, overQuotaLine } from './account-import.js';
import { type AccountState, readOwnLines, type TextChunks } from './own-lines.js';

/**
 * Imports the output of `user export` into the account that the options name, otherwise into the file's own. Resolves
 * with the exit code.
 */
export async function importOwnLines(
  context: DatabaseContext,
  { dryRun = false }: ImportOptions,
  user: UserOptions,
  text: TextChunks,
): Promise<number> {
  const named = namesUser(user) ? await userOf(context, user) : undefined;
  context.audit(`user import${dryRun ? ' --dry-run' : ''}`, named ? whoseOf(user) : 'users in the file', named);
  const target = new Target(context, dryRun, named);
  try {
    for await (const line of readOwnLines(text))
      if ('item' in line) await target.add(line.item);
      else await target.begin(Buffer.from(line.account, 'hex'), line.state, line.line);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    throw new CommandError(`${error.message}; the lines before it were imported, repeat when the file is complete`);
  }
  await context.print(await target.finish());
  if (target.counts.overQuota === 0) return EXIT.ok;
  await context.print(overQuotaLine(target.counts, context.settings));
  return EXIT.attention;
}

/** Receives the lines, for one account after the other. */
class Target {
  readonly counts = noneYet();
  private users = 0;
  private items = 0;
  private current?: AccountImport;

  /** @param named the account for all lines, overriding the file */
  constructor(
    private readonly context: DatabaseContext,
    private readonly isDryRun: boolean,
    private readonly named: Buffer | undefined,
  ) {}

  async begin(account: Buffer, state: AccountState, line: number): Promise<void> {
    if (this.named && this.users > 0)
      throw new CommandError(`line ${line}: another user; leave out the user to import them all`);
    this.users++;
    await this.current?.finish();
    this.current = await AccountImport.restoring(
      this.context,
      this.isDryRun,
      this.named ?? account,
      state,
      this.counts,
    );
  }

  async add(item: Article | Tombstone): Promise<void> {
    this.items++;
    await this.current?.add(item);
    this.context.progress(`${this.items} articles and tombstones of ${this.users} users so far`);
  }

  /** Stores the remaining items and returns a summary. */
  async finish(): Promise<string> {
    await this.current?.finish();
    const { stored, known } = this.counts;
    if (this.isDryRun)
      return `would import ${stored} articles and tombstones of ${this.users} users, ${known} are there`;
    return `imported ${stored} articles and tombstones of ${this.users} users, ${known} were there`;
  }
}
