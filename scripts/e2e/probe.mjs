import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 15_000;
const MAX_REPEATS = 5;
const LONGEST_WAIT_SECONDS = 60;

/**
 * Finds out what the suites need to know about the service at `url`. Rejects, with a one-line reason, when there is no
 * service, when it rejects the credentials, or when a given user has articles that must not be deleted.
 */
export async function probe(url, { basic, tokens, allowWipe }) {
  const root = await rootOf(url);
  const settings = {
    page_size: 100,
    batch_max_requests: 25,
    max_body_bytes: 2_097_152,
    delete_collection: true,
    ...root.settings,
  };
  const takesBasic = (await get(`${url}/v2/articles?_limit=1`, basicOf(`e2e-probe-${Date.now()}`))).status === 200;
  if (basic && !takesBasic) throw new Error('--basic: refused; Basic authentication is off there');
  const capabilities = root.capabilities ?? (takesBasic ? ['basic'] : []);
  for (const [at, token] of tokens.entries()) await requireUsable(url, `Bearer ${token}`, `token ${at + 1}`, allowWipe);
  await requireDistinct(url, tokens);
  return { hello: root.hello, version: root.version, settings, capabilities, provider: await providerOf(url) };
}

async function rootOf(url) {
  const answer = await get(`${url}/v2/`).catch((error) => {
    throw new Error(`--url: ${url} can't be reached: ${error.cause?.message ?? error.message}`);
  });
  const root = await answer.json().catch(() => undefined);
  if (answer.status !== 200 || typeof root?.hello !== 'string' || typeof root.version !== 'string')
    throw new Error(`--url: ${url}/v2/ responds with ${answer.status} and is not a reading-list service`);
  return root;
}

async function requireUsable(url, authorization, name, allowWipe) {
  const answer = await get(`${url}/v2/articles?_limit=1`, authorization);
  if (answer.status !== 200) throw new Error(`--tokens: ${name} is refused with ${answer.status}`);
  const count = Number(answer.headers.get('total-records'));
  if (count > 0 && !allowWipe)
    throw new Error(`--tokens: the user of ${name} has ${count} articles; give users without any, or --allow-wipe`);
  if (count > 0) await request(`${url}/v2/articles`, { method: 'DELETE', headers: { authorization } });
}

/** The provider's name in the login paths, from the OpenAPI document. */
async function providerOf(url) {
  const answer = await get(`${url}/v2/openapi.json`).catch(() => undefined);
  const document = answer?.status === 200 ? await answer.json().catch(() => undefined) : undefined;
  const path = Object.keys(document?.paths ?? {}).find((name) => /^(\/v2)?\/[^/]+-oauth\/params$/.test(name));
  return path === undefined ? 'acct' : /\/([^/]+)-oauth\//.exec(path)[1];
}

const basicOf = (name) => `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`;

/** With two tokens of the same user, as after signing in twice with one name, cases would interfere. */
async function requireDistinct(url, tokens) {
  const clocks = new Map();
  for (const [at, token] of tokens.entries()) {
    const clock = (await get(`${url}/v2/articles?_limit=1`, `Bearer ${token}`)).headers.get('last-modified');
    const other = clocks.get(clock);
    if (other !== undefined && (await areOneUser(url, tokens[other], token)))
      throw new Error(
        `--tokens: token ${other + 1} and token ${at + 1} are of one user; give those of different users`,
      );
    clocks.set(clock, at);
  }
}

/** Whether one sees what the other stores. */
async function areOneUser(url, one, other) {
  const headers = { authorization: `Bearer ${one}`, 'content-type': 'application/json' };
  const article = { url: `https://example.com/e2e-probe-${Date.now()}`, title: 'probe', added_by: 'e2e' };
  const stored = await request(`${url}/v2/articles`, { method: 'POST', headers, body: JSON.stringify(article) });
  const { id } = await stored.json();
  const seen = (await get(`${url}/v2/articles/${id}`, `Bearer ${other}`)).status === 200;
  await request(`${url}/v2/articles/${id}`, { method: 'DELETE', headers });
  return seen;
}

const get = (address, authorization) =>
  request(address, { headers: authorization === undefined ? {} : { authorization }, redirect: 'manual' });

/** Waits and retries while the deployment responds 429. */
async function request(address, options) {
  for (let repeats = 0; ; repeats++) {
    const answer = await fetch(address, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.status !== 429 || repeats === MAX_REPEATS) return answer;
    const seconds = Math.min(Number(answer.headers.get('retry-after')) || 1, LONGEST_WAIT_SECONDS);
    console.log(`the deployment limits requests: waiting ${seconds} s`);
    await sleep(seconds * 1000);
  }
}
