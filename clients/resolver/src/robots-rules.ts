/** A line of robots.txt (RFC 9309, 2.2.2): `*` in the pattern is any text, `$` at its end the end of the path. */
export interface Rule {
  allows: boolean;
  pattern: string;
}

/** The service takes no longer URLs; with those of servers, matching would take seconds. */
const MAX_PATH = 2048;

/**
 * The rules of a file for a program, or those for all others. Takes time and memory in proportion to the file, which anybody
 * may have written: `robots-parser` can take gigabytes.
 */
export function rulesFor(program: string, text: string): Rule[] {
  const [own, others]: [Rule[], Rule[]] = [[], []];
  let [isNamed, isForOwn, isForOthers, hasOwn] = [false, false, false, false];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name, value] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const kind = name.toLowerCase();
    if (kind === 'user-agent') {
      // Several in a row name one group.
      if (!isNamed) [isForOwn, isForOthers] = [false, false];
      const agent = value.trim().split('/', 1)[0]!.trim().toLowerCase();
      if (agent === program) isForOwn = true;
      if (agent === '*') isForOthers = true;
    }
    isNamed = kind === 'user-agent';
    if (!/^(dis)?allow$/.test(kind)) continue;
    hasOwn ||= isForOwn;
    const rule = { allows: kind === 'allow', pattern: escaped(value.trim()) };
    if (rule.pattern === '') continue;
    if (isForOwn) own.push(rule);
    if (isForOthers) others.push(rule);
  }
  return hasOwn ? own : others;
}

/** By the longest pattern that matches; of two, the one that allows. What no rule names is allowed. */
export function isAllowed(path: string, rules: readonly Rule[]): boolean {
  const compared = escaped(path).slice(0, MAX_PATH);
  let [longest, allows] = [0, true];
  for (const rule of rules) {
    const { length } = rule.pattern;
    if (length < longest || (length === longest && !rule.allows)) continue;
    if (matches(rule.pattern, compared)) [longest, allows] = [length, rule.allows];
  }
  return allows;
}

/** Each part between two `*` is taken where it occurs first, which leaves most for those behind it. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first, ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*') as [string, ...string[]];
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !isWhole || path === first;
  const last = isWhole ? parts.pop()! : '';
  let from = first.length;
  for (const part of parts) {
    const at = path.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return path.length - last.length >= from && path.endsWith(last);
}

/** The spelling of a URL parser, with percent-encoding in capital letters. */
function escaped(text: string): string {
  const url = text.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return url.replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());
}
