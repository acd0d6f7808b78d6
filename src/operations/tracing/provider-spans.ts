import { type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { type ProviderCall, providerCalls } from '../../auth/provider/bounded-fetch.js';

/** Starts recording a span for every call to the identity provider. */
export function traceProviderCalls(tracer: Tracer): void {
  const spans = new WeakMap<ProviderCall, Span>();
  providerCalls.subscribe({
    start: (call) =>
      void spans.set(call, tracer.startSpan(`identity provider ${call.path}`, { kind: SpanKind.CLIENT })),
    error: (call) => void spans.get(call)?.setStatus({ code: SpanStatusCode.ERROR }),
    asyncEnd: (call) => spans.get(call)?.end(),
    end: () => undefined,
    asyncStart: () => undefined,
  });
}
