import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { behindMark, laterThanSeen, readMark, writeMark } from '../../src/commands/doctor/high-water.js';

const HOUR = 3_600_000;
const RECORDED = Date.parse('2026-01-31T12:00:00Z');
const mark = { last_modified: RECORDED - 5, recorded_on: RECORDED };

describe('the high-water mark', () => {
  it.each([
    ['behind it', mark.last_modified - 1, /run "advance-clocks --to 2026-01-31T13:00:00\.000Z"/],
    ['gone, as there is nobody', 0, /restore a backup, or delete the mark/],
    ['at it', mark.last_modified, undefined],
    ['after it', mark.last_modified + 1, undefined],
  ])('gives advice when the highest clock is %s', (_where, highest, advice) => {
    const problem = behindMark(mark, highest, RECORDED + HOUR);
    if (advice) expect(problem?.advice).toMatch(advice);
    else expect(problem).toBeUndefined();
  });

  it('of a database without users is reached by any other', () => {
    expect(behindMark({ last_modified: 0, recorded_on: RECORDED }, 0, RECORDED)).toBeUndefined();
  });

  it.each([
    ['clocks are right', -5, HOUR, HOUR],
    ['a clock was an hour ahead', HOUR, 10, HOUR + 10],
    ['a clock was an hour ahead two hours ago', HOUR, 2 * HOUR, 3 * HOUR],
    ['no time has passed', HOUR, 0, HOUR + 1],
    ['the clock of this machine went back', 0, -HOUR, 1],
  ])('tells what is later than any timestamp seen when %s', (_case, ahead, passed, expected) => {
    const later = laterThanSeen({ last_modified: RECORDED + ahead, recorded_on: RECORDED }, RECORDED + passed);
    expect(later - RECORDED).toBe(expected);
  });

  const folder = mkdtempSync(join(tmpdir(), 'reading-list-mark-'));
  const file = join(folder, 'mark.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read as it was written', async () => {
    expect(await readMark(join(folder, 'none'))).toBeUndefined();
    await writeMark(file, { last_modified: 1, recorded_on: 2 });
    await writeMark(file, mark);
    expect(await readMark(file)).toEqual(mark);
  });

  it.each(['', '{', 'null', '[]', '{"last_modified":1}', '{"last_modified":"1","recorded_on":2}'])(
    'is not taken from a file that has %j',
    async (text) => {
      writeFileSync(file, text);
      await expect(readMark(file)).rejects.toThrow(`${file}: is no high-water mark; name another file, or delete it`);
    },
  );
});
