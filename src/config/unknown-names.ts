import { SETTING_NAMES } from './settings.js';

const KNOWN: readonly string[] = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
const MAX_LENGTH = 64;

/** A warning for each name that is not a setting but resembles one. */
export function unknownNames(names: readonly string[]): string[] {
  return names
    .filter((name) => !KNOWN.includes(name) && name.length <= MAX_LENGTH)
    .flatMap((name) => {
      const candidates = KNOWN.map((known) => ({ known, distance: editDistance(bare(name), bare(known)) }));
      const [nearest] = candidates.sort((a, b) => a.distance - b.distance);
      const isSimilar = nearest!.distance <= Math.min(3, name.length / 4);
      const meant = isSimilar ? nearest!.known : KNOWN.find((known) => known.startsWith(`${name}_`));
      return meant ? `${name}: unknown, did you mean ${meant}?` : [];
    });
}

/** Ignores case and separators, the most common mistakes. */
const bare = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** How many characters to insert, delete, replace, or swap with the next one make one text of the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, left] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, right] of [...to].entries()) {
      const isSwapped = row > 0 && left === to[column - 1] && from[row - 1] === right;
      current.push(
        Math.min(
          previous[column + 1]! + 1,
          current[column]! + 1,
          previous[column]! + Number(left !== right),
          isSwapped ? before[column - 1]! + 1 : Infinity,
        ),
      );
    }
    [before, previous] = [previous, current];
  }
  return previous.at(-1)!;
}

/** The name at the beginning of a line, unless it is followed by = or, as `dotenv` also takes it, a colon and a space. */
const UNASSIGNED = /^[^\S\n]*(?:export[^\S\n]+)?(\w+)(?![\w.-]|[^\S\n]*=|:\s)/gm;

/** A warning for each line that names a setting and does not assign it; the rest of the line may be a secret. */
export const unassignedNames = (text: string): string[] =>
  [...text.matchAll(UNASSIGNED)]
    .map(([, name]) => name!)
    .filter((name) => KNOWN.includes(name))
    .map((name) => `${name}: ignored in .env, where = has to follow the name`);
