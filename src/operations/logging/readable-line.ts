type Entry = Record<string, unknown>;

const COLOURS: Readonly<Record<string, string>> = { error: '\x1b[31m', fatal: '\x1b[31m', warn: '\x1b[33m' };
const PLAIN = '\x1b[0m';

/** A line of the structured log for a terminal: time, level, what happened, the rest as `name=value`. */
export function readableLine(json: string): string {
  const { time, level, msg, method, route, status, stack, ...rest } = JSON.parse(json) as Entry;
  const what = route === undefined ? show(msg) : [method, route, status ?? 'aborted'].map(show).join(' ');
  const details = Object.entries(rest).map(([name, value]) => `${name}=${show(value)}`);
  const line = [show(time).slice(11, 23), show(level).padEnd(5), what, ...details].join(' ');
  const colour = COLOURS[show(level)] ?? '';
  return `${colour}${line}${stack === undefined ? '' : `\n${show(stack)}`}${colour && PLAIN}\n`;
}

const show = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
