import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Document, type Json, type Operation, operationsOf, resolve, responsesOf } from './document.js';
import { problemsOf } from './json-schema.js';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Undefined when there is none. */
  body?: Json;
}

export interface Sent {
  headers?: Record<string, string>;
  /** JSON, or a text to be sent as it is. */
  body?: unknown;
  /** Without Content-Length. */
  chunked?: boolean;
}

/** Of HTTP itself, or of the connection. */
const UNDOCUMENTED = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

/** One request, redirects not followed. */
export async function exchange(url: string, method: string, { headers, body, chunked }: Sent = {}): Promise<Answer> {
  const payload = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const framing: Record<string, string> =
    body === undefined
      ? {}
      : chunked
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': String(Buffer.byteLength(payload)) };
  return new Promise((answer, reject) => {
    const request = send(url, { method, headers: { ...framing, ...headers }, agent: false }, (response) => {
      const { statusCode: status, headers } = response;
      text(response).then(
        (it) => answer({ status: status!, headers, body: it ? (JSON.parse(it) as Json) : undefined }),
        reject,
      );
    });
    request.on('error', reject);
    request.end(payload);
  });
}

/** What a service answers that its document does not say, as `where: what`. */
export function undocumented(document: Document, method: string, path: string, answer: Answer): string[] {
  const operation = operationsOf(document).find((it) => it.method === method && matches(it, path));
  if (!operation) return [`no operation ${method} ${path}`];
  const responses = responsesOf(document, operation);
  const response = responses[answer.status] ?? responses.default!;
  const isListed = responses[answer.status] !== undefined || [400, 408, 417, 431].includes(answer.status);
  return [
    ...(isListed ? [] : [`status ${answer.status}`]),
    ...Object.keys(answer.headers)
      .filter((name) => !UNDOCUMENTED.has(name) && !has(response.headers as Json, name))
      .map((name) => `header ${name}`),
    ...(method === 'HEAD' ? [] : undocumentedBody(document, response, answer)),
  ];
}

function undocumentedBody(document: Document, response: Json, { body }: Answer): string[] {
  const content = (response.content as Json | undefined)?.['application/json'] as Json | undefined;
  if (!content || body === undefined) return content || body !== undefined ? ['body missing or surplus'] : [];
  const examples = Object.values((content.examples ?? {}) as Json).map((example) => resolve(document, example as Json));
  const errnos = examples.map(({ value }) => (value as Json).errno as unknown);
  return [
    ...problemsOf(document, content.schema as Json, body),
    ...(body.errno === undefined || new URL(body.info as string).hash === `#${body.errno}`
      ? []
      : [`info ${body.info as string}`]),
    ...(body.errno === undefined || errnos.includes(body.errno) ? [] : [`errno ${body.errno}`]),
  ];
}

const has = (headers: Json, name: string): boolean => Object.keys(headers).some((it) => it.toLowerCase() === name);

function matches({ path }: Operation, requested: string): boolean {
  const [pathname] = requested.split('?');
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname!);
}
