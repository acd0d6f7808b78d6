const TIMES = 8;
const RUNS = 5;
/** Shorter times say more about the clock than about the work. */
const LEAST_MS = 0.2;

/** The shortest of some runs: what else the machine does only makes a run longer. */
function shortestMs(text: string, work: (text: string) => unknown): number {
  let shortest = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    work(text);
    shortest = Math.min(shortest, performance.now() - start);
  }
  return Math.max(shortest, LEAST_MS);
}

/**
 * How the time for a text grows with its length: 1 is in step with it, 2 with its square. Both are measured here and now, so that
 * the speed of the machine does not matter.
 */
export function growthOf(work: (text: string) => unknown, textOf: (length: number) => string, length: number): number {
  const [short, long] = [length / TIMES, length].map((size) => shortestMs(textOf(size), work));
  return Math.log(long! / short!) / Math.log(TIMES);
}
