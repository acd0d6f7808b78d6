import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FaultyDevice, Fleet, missingEdits } from '../support/fleet.js';
import { histories, type Step, told } from '../support/history.js';
import { deviceArticles, serverArticles, useWorld } from '../support/world.js';

const RUNS = Number(process.env.CLIENT_HISTORIES ?? (process.env.TEST_DATABASE === 'mariadb' ? 100 : 300));

const world = useWorld({ PAGE_SIZE: '3' });

/** A connection that broke a moment ago may still be in the pool of `fetch`, so that one more attempt is due. */
async function syncAtLast(device: FaultyDevice): Promise<boolean> {
  for (let attempt = 0; attempt < 4; attempt++) if (await device.sync()) return true;
  return false;
}

async function replay(steps: Step[], isBearer: boolean): Promise<void> {
  const fleet = await Fleet.start(world, isBearer);
  try {
    await fleet.run(steps);
    for (let round = 0; round < 2; round++)
      for (const device of fleet.devices)
        expect(await syncAtLast(device), 'a sync without faults is complete').toBe(true);
    const server = await serverArticles(world.service.url, fleet.authorization);
    for (const { list } of fleet.devices) expect(await deviceArticles(list)).toEqual(server);
    expect(missingEdits(fleet, server), 'edits that are neither there nor told').toEqual([]);
  } finally {
    await fleet.close();
  }
}

/** What went wrong once: an article removed and added again while nobody knew whether it had arrived, in one batch. */
const REMOVED_AND_ADDED_AGAIN: [Step[], boolean] = [
  [
    { type: 'sync', device: 0 },
    { type: 'add', device: 0, url: 3, title: 0 },
    { type: 'sync', device: 0, fault: { kind: 'cut before', request: 0 } },
    { type: 'remove', device: 0, article: 3 },
    { type: 'add', device: 0, url: 3, title: 0 },
  ],
  true,
];

/** Another: a PATCH that was refused with 412, as the other device had done a part of it. */
const PARTLY_DONE_ELSEWHERE: [Step[], boolean] = [
  [
    { type: 'add', device: 0, url: 3, title: 0 },
    { type: 'sync', device: 0 },
    { type: 'sync', device: 2 },
    { type: 'edit', device: 2, article: 3, edit: 'markRead', value: 0 },
    { type: 'edit', device: 0, article: 3, edit: 'markRead', value: 0 },
    { type: 'edit', device: 2, article: 3, edit: 'rename', value: 0 },
    { type: 'sync', device: 0 },
  ],
  false,
];

it(
  `three devices agree with the server after any history, and no edit is lost silently (${RUNS} histories)`,
  () =>
    fc.assert(fc.asyncProperty(histories, fc.boolean(), replay), {
      numRuns: RUNS,
      examples: [REMOVED_AND_ADDED_AGAIN, PARTLY_DONE_ELSEWHERE],
      reporter: (result) => {
        if (!result.failed) return;
        const [steps, isBearer] = result.counterexample!;
        throw new Error(
          `seed ${result.seed}, path ${result.counterexamplePath}, bearer ${isBearer}:\n${told(steps)}\n${String(result.errorInstance)}`,
        );
      },
    }),
  Math.max(300_000, RUNS * 3_000),
);
