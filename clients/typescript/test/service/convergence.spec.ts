import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultyDevice, Fleet, missingEdits } from '../support/fleet.js';
import { histories, type Step, told } from '../support/history.js';
import { deviceArticles, serverArticles, startWorld, type World } from '../support/world.js';

const RUNS = Number(process.env.CLIENT_HISTORIES ?? (process.env.TEST_DATABASE === 'mariadb' ? 100 : 300));

let world: World;
beforeAll(async () => (world = await startWorld({ PAGE_SIZE: '3' })));
afterAll(() => world?.close());

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

it(
  `three devices agree with the server after any history, and no edit is lost silently (${RUNS} histories)`,
  () =>
    fc.assert(fc.asyncProperty(histories, fc.boolean(), replay), {
      numRuns: RUNS,
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
