import type { Service } from '../support/service.js';

/** Settings of a service that publishes metrics on a free port. */
export const METERED = { METRICS_PORT: '0' };

/** What `/metrics` says: every sample by its name and labels, as they are written there. */
export async function scrape(service: Service): Promise<Map<string, number>> {
  const [, address] = /metrics at (\S+)/.exec(service.output())!;
  const text = await (await fetch(address!)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

/** The samples of one metric, whatever their labels, and what they add up to. */
export function samplesOf(samples: Map<string, number>, name: string): { labels: string[]; sum: number } {
  const own = [...samples].filter(([sample]) => sample === name || sample.startsWith(`${name}{`));
  return {
    labels: own.map(([sample]) => sample.slice(name.length)),
    sum: own.reduce((sum, [, value]) => sum + value, 0),
  };
}
