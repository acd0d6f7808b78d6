import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Settings } from '../src/config/settings.js';
import { projectFolder } from '../src/root/version.js';

const TYPES = { 'index.html': 'text/html', 'sign-in.mjs': 'text/javascript', 'sign-in.css': 'text/css' } as const;

/** Serves the sign-in demonstration on 127.0.0.1, for the service at `service`. */
export async function startSignInServer(port: number, service: string, settings: Settings): Promise<Server> {
  const server = createServer((request, response) => {
    const name = new URL(request.url!, service).pathname.slice(1) || 'index.html';
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Content-Security-Policy', `default-src 'self'; connect-src 'self' ${service}`);
    if (name === 'service.json') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ service, providerName: settings.oauth.providerName }));
    } else if (name in TYPES) {
      response.setHeader('Content-Type', `${TYPES[name as keyof typeof TYPES]}; charset=utf-8`);
      response.end(readFileSync(join(projectFolder(), 'dev/sign-in', name)));
    } else response.writeHead(404).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
