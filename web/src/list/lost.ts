import type { ToldConflict } from './messages';

/** Of an import, the service may refuse thousands of articles. */
const MAX_KEPT = 50;

const keyOf = (account: string) => `reading-list-lost-${account}`;

/** The changes of an account that could not be kept and that the user has not dismissed, the earliest first. */
export function readLost(account: string): ToldConflict[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(account)) ?? '[]') as ToldConflict[];
  } catch {
    return [];
  }
}

/** Keeps more of them, except those that another tab did. */
export function keepLost(account: string, conflicts: ToldConflict[]): void {
  const names = new Set(conflicts.map(nameOf));
  const others = readLost(account).filter((other) => !names.has(nameOf(other)));
  writeLost(account, [...others, ...conflicts].slice(-MAX_KEPT));
}

/** Forgets one, or all of them. */
export function forgetLost(account: string, conflict?: ToldConflict): void {
  const name = conflict && nameOf(conflict);
  writeLost(account, name ? readLost(account).filter((other) => nameOf(other) !== name) : []);
}

/** The same for the same loss, whatever the page knew of the article. */
export const nameOf = ({ key, kind, lost, reason }: ToldConflict): string => JSON.stringify([key, kind, lost, reason]);

function writeLost(account: string, conflicts: ToldConflict[]): void {
  try {
    if (conflicts.length === 0) localStorage.removeItem(keyOf(account));
    else localStorage.setItem(keyOf(account), JSON.stringify(conflicts));
  } catch {
    // Without space, or in a private window, they are told on this page only.
  }
}
