import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An answer on its way back; header names and values in turn, as they are sent. */
export interface PassingAnswer {
  status: number;
  headers: string[];
  body: Buffer;
}

/** What a proxy does wrong. */
export interface Fault {
  /** Changes the headers of a request. */
  request?: (headers: OutgoingHttpHeaders, path: string) => void;
  answer?: (answer: PassingAnswer, asked: { method: string; path: string }) => PassingAnswer;
}

/** A proxy in front of `target` that has the given fault. */
export async function startBrokenProxy(target: string, fault: Fault): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const [method, path] = [incoming.method!, incoming.url!];
      const headers: OutgoingHttpHeaders = { ...incoming.headers };
      fault.request?.(headers, path);
      const body = await buffer(incoming);
      const answer = await forward({ hostname, port, method, path, headers }, body);
      const { status, headers: list, body: text } = fault.answer?.(answer, { method, path }) ?? answer;
      outgoing.sendDate = false;
      outgoing.writeHead(status, list).end(text);
    })().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(options: object, body: Buffer): Promise<PassingAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, agent: false }, (response: IncomingMessage) => {
      const { statusCode, rawHeaders } = response;
      buffer(response).then((text) => resolve({ status: statusCode!, headers: rawHeaders, body: text }), reject);
    });
    sent.once('error', reject).end(body);
  });
}

/** The list without the headers that `leave` names. */
export function without(headers: string[], leave: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2)
    if (!leave(headers[at]!.toLowerCase())) kept.push(headers[at]!, headers[at + 1]!);
  return kept;
}
