import { providerCalls, type ProviderCall } from '../../auth/provider/bounded-fetch.js';
import type { Metrics, ProviderCallOutcome } from './metrics.js';

/** Starts counting the process's calls to the identity provider. */
export function observeProviderCalls(metrics: Metrics): void {
  const starts = new WeakMap<ProviderCall, number>();
  const failures = new WeakMap<ProviderCall, unknown>();
  const outcomeOf = (call: ProviderCall): ProviderCallOutcome => {
    if (!failures.has(call)) return 'answered';
    return isCertificateError(failures.get(call)) ? 'untrusted' : 'failed';
  };
  providerCalls.subscribe({
    start: (call) => void starts.set(call, performance.now()),
    error: (call) => void failures.set(call, call.error),
    asyncEnd: (call) => metrics.observeProviderCall(performance.now() - starts.get(call)!, outcomeOf(call)),
    end: () => undefined,
    asyncStart: () => undefined,
  });
}

/** Codes of OpenSSL and Node for a certificate that is expired, from an unknown CA, or for another host. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)/;

function isCertificateError(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? '')) return true;
  return false;
}
