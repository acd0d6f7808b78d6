import type { Database } from '../../database/database.js';
import { type DatabaseContext, EXIT } from '../shell.js';

/** What an import works with. */
export interface ImportContext extends DatabaseContext {
  counts: ImportCounts;
  /** Only in a dry run, which imports into a database in memory: the one that its accounts are copied from. */
  original?: Database;
}

/** What happened to the items so far, or would happen in a dry run. */
export class ImportCounts {
  stored = 0;
  /** Already present, or another article has their URL. */
  private known = 0;
  /** Not stored because the account has as many articles as it may have. */
  private overQuota = 0;

  add(items: number, stored: number, overQuota: number): void {
    this.stored += stored;
    this.overQuota += overQuota;
    this.known += items - stored - overQuota;
  }

  /** Prints the counts; resolves with the exit code. */
  async print({ original, settings, print }: ImportContext, what: string, rest = ''): Promise<number> {
    const [done, were] = original ? ['would import', 'are'] : ['imported', 'were'];
    await print(`${done} ${this.stored} ${what}, ${this.known} ${were} there${rest}`);
    if (this.overQuota === 0) return EXIT.ok;
    const most = `MAX_ARTICLES_PER_USER (${settings.maxArticlesPerUser})`;
    await print(`left out, as a user has at most ${most}: ${this.overQuota} articles`);
    return EXIT.attention;
  }
}
