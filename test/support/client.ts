import { randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import request, { type CallbackHandler, type Response, type Test } from 'supertest';
import { type Deployment, givenDeployment, NotHere } from './deployment/deployment.js';
import { isRefused, MAX_REPEATS, noteWaitingTime, requestTurn } from './deployment/pace.js';
import { authorizationOf, noteUse } from './deployment/users.js';

/** A handshake of TLS for each request would take longer than the requests. */
const connections = new Agent({ keepAlive: true });

type Verb = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';

/** One user's device: requests below `/v2` with that user's credentials. */
export type Client = Record<Verb, (path: string) => Test> & { authorization: string };

/** A device of the user with that name; by default of a new user. */
export function client(url: string, name: string = randomUUID()): Client {
  const deployment = givenDeployment();
  return clientWith(url, deployment ? authorizationOf(deployment, name) : basicAuthorization(name));
}

/** Basic credentials of the user. */
export const basicAuthorization = (name: string, password = 'secret'): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** A device that sends the given `Authorization` header. */
export function clientWith(url: string, authorization: string): Client {
  const deployment = givenDeployment();
  if (deployment) requireUsable(deployment, authorization);
  const verb = (method: Verb) => (path: string) => {
    if (deployment) requireAllowed(deployment, method, path);
    const test = request(url)[method](`/v2${path}`).set('Authorization', authorization);
    if (url.startsWith('https:')) test.agent(connections);
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

/** Sends the request at the deployment's pace, and again while it responds 429. */
function paced(test: Test): Test {
  const end = test.end.bind(test);
  // A request is a thenable: returned from a callback, it would also reject a promise that nobody handles.
  const send = (callback: CallbackHandler | undefined): void =>
    void end((error, response) => callback?.(error && (refusedInside(response) ?? error), response));
  test.end = (callback) => {
    void requestTurn().then(() => send(callback));
    return test;
  };
  // Superagent retries immediately; its own method is the only place to wait.
  const repeating = test.retry(MAX_REPEATS, (_error, response) => isRefused(response?.status)) as Test & {
    _retry: () => void;
  };
  const repeat = repeating._retry.bind(repeating);
  repeating._retry = () => void requestTurn().then(() => void repeat());
  return test.on('response', ({ headers }: { headers: Record<string, unknown> }) => noteWaitingTime(headers));
}

/** A batch cannot be repeated if only some of its requests were refused, as the others have been executed. */
function refusedInside(response: Response | undefined): NotHere | undefined {
  const { responses } = (response?.body ?? {}) as { responses?: { status: number }[] };
  if (!Array.isArray(responses) || !responses.some(({ status }) => status === 429)) return undefined;
  return new NotHere('needs a batch of more requests than the deployment takes in a minute');
}

/** Ends a case that needs a user who never had an article: a given test user leaves tombstones behind. */
export function requireNewUser({ authorization }: Client): void {
  const deployment = givenDeployment();
  if (deployment?.tokens.some((token) => authorization === `Bearer ${token}`))
    throw new NotHere('needs users who never had an article; --basic makes them up');
}

/** Skips a case that needs its own service, for the given reason. */
export function requireOwnService(reason: string): void {
  if (givenDeployment()) throw new NotHere(`needs a service of its own: ${reason}`);
}

/** Skips a case that needs a capability that the deployment lacks. */
export function requireCapabilities(...names: string[]): void {
  const missing = names.find((name) => givenDeployment()?.capabilities.includes(name) === false);
  if (missing !== undefined) throw new NotHere(`needs the capability "${missing}", which is off here`);
}
