import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METERED } from '../operations/scrape.js';
import { type Service, startService } from '../support/service.js';
import { ask, DEPARTURES, figures, hitAndRun, idleFigures, SHAPES } from './hostile-client.js';

/** `npm run soak` asks for more. */
const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 10);
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 2 ** 31);
const ATTACKERS = 12;

let service: Service;

beforeAll(async () => {
  service = await startService({ ...METERED, DATABASE_URL: 'sqlite::memory:' });
});

afterAll(() => service.kill());

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}

async function attack(random: () => number, until: number): Promise<void> {
  while (performance.now() < until) {
    const count = Math.ceil(random() ** 4 * 300);
    const shapes = Array.from({ length: count }, () => pick(random, Object.values(SHAPES)));
    const bytes = random() < 0.5 ? shapes.join('') : shapes[0]!.repeat(count);
    const cut = random() < 0.3 ? bytes.slice(0, Math.ceil(random() * bytes.length)) : bytes;
    const delayMs = random() < 0.5 ? 0 : Math.floor(random() * 40);
    await hitAndRun(service, cut, pick(random, DEPARTURES), { delayMs, reads: random() < 0.5 });
  }
}

it(
  `a device is served while a dozen clients break their connections in every way (seed ${SEED})`,
  async () => {
    const idle = await idleFigures(service);
    const until = performance.now() + SECONDS * 1000;
    const random = numbers(SEED);
    const attackers = Array.from({ length: ATTACKERS }, () => attack(numbers(Math.floor(random() * 2 ** 31)), until));
    const times: number[] = [];
    while (performance.now() < until) {
      const { status, ms } = await ask(service);
      expect(status).toBe(200);
      times.push(ms);
      await sleep(50);
    }
    await Promise.all(attackers);
    times.sort((one, other) => one - other);
    expect(times.length).toBeGreaterThan(10);
    expect(times.at(Math.floor(times.length * 0.9))).toBeLessThan(1_000);
    await expect.poll(() => figures(service), { timeout: 20_000, interval: 100 }).toEqual(idle);
  },
  60_000 + 2_000 * SECONDS,
);
