import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../support/service.js';

/** A line of the service's log. */
export type LogEntry = Record<string, unknown>;

/** The lines that `select` likes, as soon as there are `count` of them; fails after fifteen seconds. */
export async function entriesOf(
  service: Service,
  select: (entry: LogEntry) => boolean,
  count: number,
): Promise<LogEntry[]> {
  for (const end = Date.now() + 15_000; ; await sleep(20)) {
    const lines = service.output().split('\n');
    const entries = lines.filter((line) => line.startsWith('{') && line.endsWith('}'));
    const found = entries.map((line) => JSON.parse(line) as LogEntry).filter(select);
    if (found.length >= count) return found;
    if (Date.now() > end) throw new Error(`${found.length} of ${count} lines in\n${service.output()}`);
  }
}
