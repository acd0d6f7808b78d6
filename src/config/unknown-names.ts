import { SETTING_NAMES } from './settings.js';

const KNOWN: readonly string[] = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
const MAX_DISTANCE = 3;

/** A warning for each name that is not a setting but resembles one. */
export function unknownNames(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (KNOWN.includes(name)) return [];
    const distances = KNOWN.map((known) => editDistance(bare(name), bare(known)));
    const least = Math.min(...distances);
    const isSimilar = least <= Math.min(MAX_DISTANCE, name.length / 4);
    const meant = KNOWN.find((known, at) => (isSimilar ? distances[at] === least : known.startsWith(`${name}_`)));
    return meant ? `${name}: unknown, did you mean ${meant}?` : [];
  });
}

/** Ignores case and separators, the most common mistakes. */
const bare = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** How many insertions, deletions, replacements and swaps of neighbours separate two texts; Infinity beyond `most`. */
function editDistance(from: string, to: string, most = MAX_DISTANCE): number {
  if (from === to) return 0;
  if (most === 0) return Infinity;
  const [rest, other] = [from.slice(1), to.slice(1)];
  if (from[0] === to[0]) return editDistance(rest, other, most);
  const then = (left: string, right: string) => 1 + editDistance(left, right, most - 1);
  const isSwapped = from[0] === to[1] && from[1] === to[0];
  const swapped = isSwapped ? then(from.slice(2), to.slice(2)) : Infinity;
  return Math.min(then(rest, to), then(from, other), then(rest, other), swapped);
}

/** The name at the beginning of a line, unless it is followed by = or, as `dotenv` also takes it, a colon and a space. */
const UNASSIGNED = /^[^\S\n]*(?:export[^\S\n]+)?(\w+)(?![\w.-]|[^\S\n]*=|:\s)/gm;

/** A warning for each line that names a setting and does not assign it; the rest of the line may be a secret. */
export const unassignedNames = (text: string): string[] =>
  [...text.matchAll(UNASSIGNED)].flatMap(([, name]) =>
    KNOWN.includes(name!) ? `${name}: ignored in .env, where a setting is written NAME=value` : [],
  );
