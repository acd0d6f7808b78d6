import createOpenApiClient, { type Client as OpenApiClient } from 'openapi-fetch';
import type { paths } from '../openapi.js';
import type { Client } from './client.js';

/**
 * Every endpoint of the service, typed from its OpenAPI document, with the authorization and errors of `client`: a
 * status of 400 or above rejects with a ReadingListError.
 */
export function openApiClient(client: Client): OpenApiClient<paths> {
  return createOpenApiClient<paths>({
    baseUrl: client.baseUrl,
    fetch: async (request) => {
      const headers = Object.fromEntries(request.headers);
      const body = request.body === null ? undefined : await request.text();
      const { method, url, signal } = request;
      const {
        status,
        headers: received,
        data,
      } = await client.transport.send({ method, url, headers, body }, { signal });
      const kept = new Headers(received);
      // The body is already decoded, so its length and encoding on the wire no longer apply.
      for (const name of ['Content-Length', 'Content-Encoding']) kept.delete(name);
      const isEmpty = status === 304 || method === 'HEAD';
      return new Response(isEmpty ? null : JSON.stringify(data), { status, headers: kept });
    },
  });
}
