import type { IncomingMessage } from 'node:http';
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { MySQL2Instrumentation } from '@opentelemetry/instrumentation-mysql2';
import { NestInstrumentation } from '@opentelemetry/instrumentation-nestjs-core';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const SHUTDOWN_MS = 800;
/** A query string may name an article. */
const WITHOUT_QUERY = { 'url.query': '' };

/**
 * OTLP over HTTP, configured by OpenTelemetry's own variables. Spans hold no values of requests: no query strings, and
 * statements with placeholders. Returns a function that sends pending spans and resolves within a second.
 */
export function startTracing(): () => Promise<unknown> {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const named = defaultResource().merge(resourceFromAttributes({ 'service.name': 'reading-list' }));
  const provider = new NodeTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  registerInstrumentations({
    instrumentations: [
      // Outgoing requests, of which the exporter's are the only ones that do not go through `fetch`, are not traced.
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        startIncomingSpanHook: () => WITHOUT_QUERY,
        applyCustomAttributesOnSpan: describe,
      }),
      new UndiciInstrumentation({
        startSpanHook: ({ origin, path }) => ({ 'url.full': origin + path.replace(/\?.*/s, ''), ...WITHOUT_QUERY }),
      }),
      new NestInstrumentation(),
      new MySQL2Instrumentation({ maskStatement: true, maskStatementHook: (sql) => sql }),
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
    ],
  });
  return () =>
    Promise.race([provider.shutdown().catch(() => undefined), sleep(SHUTDOWN_MS, undefined, { ref: false })]);
}

/** Names the span by its route, and gives it the id that is in the log and in `X-Request-Id`. */
function describe(span: Span, message: unknown): void {
  const { method, headers, route } = message as IncomingMessage & { route?: { path: string } };
  span.setAttribute('reading_list.request_id', String(headers['x-request-id']));
  if (route) span.setAttribute('http.route', route.path).updateName(`${method} ${route.path}`);
}
