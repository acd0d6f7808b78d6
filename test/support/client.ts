import { randomUUID } from 'node:crypto';
import request, { type Test } from 'supertest';

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';

/** One user's device: requests below `/v2` with that user's credentials. */
export type Client = Record<Verb, (path: string) => Test> & { authorization: string };

/** A device of the Basic user of that name; a name of its own when none is given. */
export function client(url: string, name: string = randomUUID()): Client {
  return clientWith(url, `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`);
}

/** A device that sends the given `Authorization` header. */
export function clientWith(url: string, authorization: string): Client {
  const verb = (method: Verb) => (path: string) =>
    request(url)[method](`/v2${path}`).set('Authorization', authorization);
  return {
    authorization,
    get: verb('get'),
    head: verb('head'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}

let counter = 0;

/** The body of a valid POST with a URL of its own. */
export const anArticle = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  url: `https://example.com/articles/${++counter}`,
  title: `Article ${counter}`,
  added_by: 'laptop',
  ...fields,
});
