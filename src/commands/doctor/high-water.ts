import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Timestamp } from '../../protocol/timestamp.js';
import { CommandError } from '../command.js';
import type { Problem } from './problem.js';

/** The highest clock of all users ever seen, and when; kept outside the database so that it survives a restore. */
export interface HighWaterMark {
  last_modified: Timestamp;
  /** When `last_modified` was first seen, by the clock of the machine that saw it. */
  recorded_on: Timestamp;
}

/** The problem of a database whose highest clock is behind the mark; undefined if it is not. */
export function behindMark(mark: HighWaterMark, highest: Timestamp, now: Timestamp): Problem | undefined {
  if (highest >= mark.last_modified) return undefined;
  if (highest === 0)
    return {
      text: `there are none, while a clock of ${mark.last_modified} was seen`,
      advice: 'restore a backup, or delete the mark if the database is to be empty',
    };
  return {
    text: `the highest clock (${highest}) is behind the one seen before (${mark.last_modified}), as in an older backup`,
    advice: `run "advance-clocks --to ${new Date(laterThanSeen(mark, now)).toISOString()}" before devices come back`,
  };
}

/** A time later than any that devices can have seen, assuming that a clock that was ahead stayed ahead. */
export const laterThanSeen = ({ last_modified, recorded_on }: HighWaterMark, now: Timestamp): Timestamp =>
  Math.max(now, last_modified + Math.max(1, now - recorded_on));

/**
 * Reads the mark; undefined when the file does not exist. Throws `CommandError` when it cannot be read or is something
 * else.
 */
export async function readMark(file: string): Promise<HighWaterMark | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`${file}: cannot be read (${error.code}); make it readable, or name another file`);
  });
  return text === undefined ? undefined : parseMark(file, text);
}

function parseMark(file: string, text: string): HighWaterMark {
  try {
    const { last_modified, recorded_on } = JSON.parse(text) as HighWaterMark;
    if ([last_modified, recorded_on].every(Number.isSafeInteger)) return { last_modified, recorded_on };
  } catch {
    // Reported below, like JSON that is something else.
  }
  throw new CommandError(`${file}: is no high-water mark; name another file, or delete it to begin a new one`);
}

/** Replaces the file atomically. Throws `CommandError` when it cannot be written. */
export async function writeMark(file: string, mark: HighWaterMark): Promise<void> {
  const successor = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(successor, `${JSON.stringify(mark)}\n`, { flush: true });
    await rename(successor, file);
  } catch (error) {
    await rm(successor, { force: true }).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${file}: cannot be written (${code}); its folder has to exist, be writable and have room`);
  }
}
