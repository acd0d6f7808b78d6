import { SETTING_NAMES } from './settings.js';

const KNOWN: readonly string[] = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
const MAX_DISTANCE = 3;

/** A warning for each name that is not a setting but resembles one. */
export function unknownNames(names: readonly string[]): string[] {
  return names
    .filter((name) => !KNOWN.includes(name))
    .flatMap((name) => {
      const distances = KNOWN.map((known) => editDistance(bare(name), bare(known)));
      const least = Math.min(...distances);
      const isSimilar = least <= Math.min(MAX_DISTANCE, name.length / 4);
      const meant = KNOWN.find((known, at) => (isSimilar ? distances[at] === least : known.startsWith(`${name}_`)));
      return meant ? `${name}: unknown, did you mean ${meant}?` : [];
    });
}

/** Ignores case and separators, the most common mistakes. */
const bare = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** How many characters to insert, delete, replace, or swap with the next one make one text of the other, if at most `most`. */
function editDistance(from: string, to: string, most = MAX_DISTANCE): number {
  if (from === to) return 0;
  if (most === 0) return Infinity;
  const [rest, other] = [from.slice(1), to.slice(1)];
  if (from[0] === to[0]) return editDistance(rest, other, most);
  const isSwapped = from[0] === to[1] && from[1] === to[0];
  return (
    1 +
    Math.min(
      editDistance(rest, to, most - 1),
      editDistance(from, other, most - 1),
      editDistance(rest, other, most - 1),
      isSwapped ? editDistance(from.slice(2), to.slice(2), most - 1) : Infinity,
    )
  );
}

/** The name at the beginning of a line, unless it is followed by = or, as `dotenv` also takes it, a colon and a space. */
const UNASSIGNED = /^[^\S\n]*(?:export[^\S\n]+)?(\w+)(?![\w.-]|[^\S\n]*=|:\s)/gm;

/** A warning for each line that names a setting and does not assign it; the rest of the line may be a secret. */
export const unassignedNames = (text: string): string[] =>
  [...text.matchAll(UNASSIGNED)]
    .map(([, name]) => name!)
    .filter((name) => KNOWN.includes(name))
    .map((name) => `${name}: ignored in .env, where a setting is written NAME=value`);
