import { providerCalls, type ProviderCall } from '../auth/bounded-fetch.js';
import type { Metrics } from './metrics.js';

/** Counts the process's calls to the identity provider from now on. */
export function observeProviderCalls(metrics: Metrics): void {
  const starts = new WeakMap<ProviderCall, number>();
  const end = (call: ProviderCall, answered: boolean): void =>
    metrics.observeProviderCall(performance.now() - starts.get(call)!, answered);
  const failed = new WeakSet<ProviderCall>();
  providerCalls.subscribe({
    start: (call) => void starts.set(call, performance.now()),
    error: (call) => void failed.add(call),
    asyncEnd: (call) => end(call, !failed.has(call)),
    end: () => undefined,
    asyncStart: () => undefined,
  });
}
