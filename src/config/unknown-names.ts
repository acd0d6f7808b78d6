import distance from 'damerau-levenshtein';
import { SETTING_NAMES } from './settings.js';

const KNOWN: readonly string[] = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);

/** A warning for each name that is not a setting but resembles one. */
export function unknownNames(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (KNOWN.includes(name)) return [];
    const text = bare(name);
    const distances = KNOWN.map((known) => (isNear(text, bare(known)) ? distance(text, bare(known)).steps : Infinity));
    const least = Math.min(...distances);
    const isSimilar = least <= Math.min(3, name.length / 4);
    const meant = KNOWN.find((known, at) => (isSimilar ? distances[at] === least : known.startsWith(`${name}_`)));
    return meant ? `${name}: unknown, did you mean ${meant}?` : [];
  });
}

/** Others differ by more than counts, and comparing all names with all would delay the start. */
const isNear = (a: string, b: string) => Math.abs(a.length - b.length) <= 3;
/** Ignores case and separators, the most common mistakes. */
const bare = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** The name at the beginning of a line, unless it is followed by = or, as `dotenv` also takes it, a colon and a space. */
const UNASSIGNED = /^[^\S\n]*(?:export[^\S\n]+)?(\w+)(?![\w.-]|[^\S\n]*=|:\s)/gm;

/** A warning for each line that names a setting and does not assign it; the rest of the line may be a secret. */
export const unassignedNames = (text: string): string[] =>
  [...text.matchAll(UNASSIGNED)].flatMap(([, name]) =>
    KNOWN.includes(name!) ? `${name}: ignored in .env, where a setting is written NAME=value` : [],
  );
