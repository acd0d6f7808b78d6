import type { IncomingMessage } from 'node:http';
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { MySQL2Instrumentation } from '@opentelemetry/instrumentation-mysql2';
import { NestInstrumentation } from '@opentelemetry/instrumentation-nestjs-core';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

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
        applyCustomAttributesOnSpan: (span, message) => {
          const { method, headers, route } = message as IncomingMessage & { route?: { path: string } };
          // The id that is in the log, too.
          span.setAttribute('reading_list.request_id', String(headers['x-request-id']));
          if (route) span.setAttribute('http.route', route.path).updateName(`${method} ${route.path}`);
        },
      }),
      new UndiciInstrumentation({
        startSpanHook: ({ origin, path }) => ({ 'url.full': origin + path.replace(/\?.*/s, ''), ...WITHOUT_QUERY }),
      }),
      new NestInstrumentation(),
      new MySQL2Instrumentation({ maskStatement: true, maskStatementHook: (sql) => sql }),
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
    ],
  });
  return () => Promise.race([provider.shutdown().catch(() => undefined), sleep(800, undefined, { ref: false })]);
}
