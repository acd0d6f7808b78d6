import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Request, Response } from 'express';
import { ObservedRequest } from '../logging/observed-request.js';
import { traceProviderCalls } from './provider-spans.js';
import type { Tracing } from './tracing.js';

const NAME = 'reading-list';
const SHUTDOWN_MS = 800;
const FIRST_WORD = /^\s*(\w+)/;

/** OpenTelemetry with OTLP over HTTP; the standard variables configure collector, sampling, batching and resource. */
export function startTracing(): Tracing {
  const named = defaultResource().merge(resourceFromAttributes({ 'service.name': NAME }));
  const provider = new NodeTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const tracer = trace.getTracer(NAME);
  traceProviderCalls(tracer);
  return {
    middleware: (request, response, next) => {
      // A batch entry inherits the batch's headers but belongs to the batch's span.
      const parent = request.context.isBatchEntry
        ? context.active()
        : propagation.extract(context.active(), request.headers);
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
      request.context.whenOver(() => endRequest(span, request, response));
      context.with(trace.setSpan(parent, span), next);
    },
    observeStatement: (sql) => {
      if (!trace.getActiveSpan()) return undefined;
      const attributes = { 'db.query.text': sql };
      const span = tracer.startSpan(FIRST_WORD.exec(sql)?.[1] ?? 'SQL', { kind: SpanKind.CLIENT, attributes });
      return (error) => endStatement(span, error);
    },
    shutdown: () => Promise.race([provider.shutdown().catch(() => undefined), pause(SHUTDOWN_MS)]),
  };
}

function endRequest(span: Span, request: Request, response: Response): void {
  const { id, route, method, status, errno } = new ObservedRequest(request, response, 0);
  span.updateName(`${method} ${route}`);
  span.setAttributes({ 'http.request.method': method, 'http.route': route, 'reading_list.request_id': id });
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (errno !== undefined) span.setAttribute('reading_list.errno', errno);
  if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** The message of a failed statement may contain values; its code does not. */
function endStatement(span: Span, error: unknown): void {
  if (error) {
    const { code } = error as NodeJS.ErrnoException;
    span.setAttribute('error.type', String(code ?? 'unknown'));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
