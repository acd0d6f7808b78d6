import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

/** Serves only `GET /metrics`, on its own port. It does not keep the process alive. */
export function createMetricsServer(registry: Registry): Server {
  const server = createServer((request, response) => void respond(registry, request, response));
  return server.unref();
}

async function respond(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(404).end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(method === 'HEAD' ? undefined : text);
  } catch {
    response.writeHead(500).end();
  }
}
