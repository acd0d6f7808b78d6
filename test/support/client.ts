import { randomUUID } from 'node:crypto';
import request, { type CallbackHandler, type Response, type Test } from 'supertest';
import { type Deployment, givenDeployment, NotHere } from './deployment/deployment.js';
import { isRefused, MAX_REPEATS, noteWaitingTime, requestTurn } from './deployment/pace.js';
import { authorizationOf, noteUse } from './deployment/users.js';

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';

/** One user's device: requests below `/v2` with that user's credentials. */
export type Client = Record<Verb, (path: string) => Test> & { authorization: string };

/** A device of the user of that name; a user of its own when none is given. */
export function client(url: string, name: string = randomUUID()): Client {
  const deployment = givenDeployment();
  return clientWith(url, deployment ? authorizationOf(deployment, name) : basicAuthorization(name));
}

/** Basic credentials of that user. */
export const basicAuthorization = (name: string, password = 'secret'): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** A device that sends the given `Authorization` header. */
export function clientWith(url: string, authorization: string): Client {
  const deployment = givenDeployment();
  if (deployment) requireUsable(deployment, authorization);
  const verb = (method: Verb) => (path: string) => {
    if (deployment) requireAllowed(deployment, method, path);
    const test = request(url)[method](`/v2${path}`).set('Authorization', authorization);
    return deployment ? paced(test) : test;
  };
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

function requireUsable(deployment: Deployment, authorization: string): void {
  if (/^basic /i.test(authorization) && !deployment.capabilities.includes('basic'))
    throw new NotHere('needs Basic authentication, which is off here');
  noteUse(authorization);
}

function requireAllowed({ settings }: Deployment, method: Verb, path: string): void {
  if (method === 'delete' && /^\/articles(\?|$)/.test(path) && !settings.delete_collection)
    throw new NotHere('needs DELETE of the collection, which is off here');
}

/** The same request, sent in its turn, and again in its turn while there are too many. */
function paced(test: Test): Test {
  const end = test.end.bind(test);
  // A request is a thenable: returned from a callback, it would reject the promise that nobody looks at as well.
  const send = (callback: CallbackHandler | undefined): void =>
    void end((error, response) => callback?.(error && (refusedInside(response) ?? error), response));
  test.end = (callback) => {
    void requestTurn().then(() => send(callback));
    return test;
  };
  // Superagent repeats a request at once; its own method is the only place to wait.
  const repeating = test.retry(MAX_REPEATS, (_error, response) => isRefused(response?.status)) as Test & {
    _retry: () => void;
  };
  const repeat = repeating._retry.bind(repeating);
  repeating._retry = () => void requestTurn().then(() => void repeat());
  return test.on('response', ({ headers }: { headers: Record<string, unknown> }) => noteWaitingTime(headers));
}

/** A batch cannot be repeated when some of its requests were refused: the others have been done. */
function refusedInside(response: Response | undefined): NotHere | undefined {
  const { responses } = (response?.body ?? {}) as { responses?: { status: number }[] };
  if (!Array.isArray(responses) || !responses.some(({ status }) => status === 429)) return undefined;
  return new NotHere('needs a batch of more requests than the deployment takes in a minute');
}

let counter = 0;

/** The body of a valid POST with a URL of its own. */
export const anArticle = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  url: `https://example.com/articles/${++counter}`,
  title: `Article ${counter}`,
  added_by: 'laptop',
  ...fields,
});

/** Ends a case that needs a user who never had an article: a given test user leaves tombstones behind. */
export function requireNewUser({ authorization }: Client): void {
  const deployment = givenDeployment();
  if (deployment?.tokens.some((token) => authorization === `Bearer ${token}`))
    throw new NotHere('needs users who never had an article; --basic makes them up');
}

/** Ends a case that needs a service of its own, for the given reason. */
export function requireOwnService(reason: string): void {
  if (givenDeployment()) throw new NotHere(`needs a service of its own: ${reason}`);
}

/** Ends a case that needs something that is off in the deployment, by the names of the root's `capabilities`. */
export function requireCapabilities(...names: string[]): void {
  const missing = names.find((name) => givenDeployment()?.capabilities.includes(name) === false);
  if (missing !== undefined) throw new NotHere(`needs the capability "${missing}", which is off here`);
}
