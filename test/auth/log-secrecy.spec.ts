import { afterAll, beforeAll, expect, it } from 'vitest';
import { basicAuthorization } from '../support/client.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import type { Service } from '../support/service.js';
import { startServiceWith } from '../support/service-with-provider.js';
import { HttpBrowser } from './http-browser.js';

const TOKEN = 'the-secret-access-token';
const CODE = 'the-secret-code';
const PASSWORD = 'the-secret-password';
const CLIENT_SECRET = 'the-secret-of-the-client';

let provider: ScriptedProvider;
let service: Service;
let close: () => Promise<void>;
let url: string;

beforeAll(async () => {
  const settings = { OAUTH_CLIENT_SECRET: CLIENT_SECRET, LOG_LEVEL: 'trace' };
  ({ provider, service, close } = await startServiceWith(ScriptedProvider.start(), settings));
  ({ url } = service);
});
afterAll(() => close());

const browser = new HttpBrowser();
const statusOf = async (path: string, authorization?: string) =>
  (await fetch(`${url}${path}`, { headers: authorization ? { authorization } : {} })).status;

it('no token, code, state, cookie, password or secret is written to the log, whatever goes wrong', async () => {
  const redirect = encodeURIComponent('http://localhost/#auth:');
  const begun = await browser.visit(`${url}/v2/acct-oauth/login?redirect=${redirect}`);
  const sealed = /=([^;]+)/.exec(begun.headers.getSetCookie()[0]!)![1]!;
  const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
  const callback = `${url}/v2/acct-oauth/token?code=${CODE}&state=${state}`;

  provider.answers.set('/token', { json: { access_token: TOKEN, token_type: 'Bearer', scope: 7 } });
  expect((await browser.visit(callback)).status).toBe(503);
  provider.answers.set('/token', { json: { access_token: TOKEN, token_type: 'Bearer' } });
  expect((await browser.visit(callback)).status).toBe(302);
  const verifier = provider.calls.at(-1)!.body.get('code_verifier')!;
  expect((await browser.visit(callback)).status).toBe(401);

  provider.answers.set('/introspect', { text: `<html>${TOKEN}</html>` });
  expect(await statusOf('/v2/articles', `Bearer ${TOKEN}`)).toBe(503);
  provider.answers.set('/introspect', { json: { active: false } });
  expect(await statusOf('/v2/articles', `Bearer ${TOKEN}`)).toBe(401);
  expect(await statusOf('/v2/articles', `Bearer ${await provider.sign({ aud: 'other' })}`)).toBe(401);
  expect(await statusOf('/v2/articles', basicAuthorization('me', PASSWORD))).toBe(200);
  expect(await statusOf(`/v2/articles?access_token=${TOKEN}`)).toBe(401);

  // The request log has a line for each of them by now, and the failures of the provider have theirs.
  await expect.poll(() => service.output()).toMatch(/identity provider is not available/);
  const secrets = { TOKEN, CODE, PASSWORD, CLIENT_SECRET, sealed, state, verifier };
  const coded = Object.values(secrets).map((secret) => Buffer.from(secret).toString('base64'));
  const found = Object.entries(secrets).filter(([, secret]) => service.output().includes(secret));
  expect(found.map(([name]) => name)).toEqual([]);
  for (const secret of coded) expect(service.output()).not.toContain(secret);
  expect(service.output()).not.toContain(Buffer.from(`me:${PASSWORD}`).toString('base64'));
});

it('what the provider says of a call that it refuses is logged, without the secret', async () => {
  const json = { error: 'invalid_client', error_description: `nobody has ${CLIENT_SECRET}` };
  provider.answers.set('/introspect', { status: 400, json });
  expect(await statusOf('/v2/articles', 'Bearer another')).toBe(503);
  const line = 'the identity provider refuses a request to its introspection endpoint: invalid_client: nobody has …';
  await expect.poll(() => service.output()).toContain(line);
  provider.answers.set('/introspect', { json: { active: false } });
  expect(service.output()).not.toContain(CLIENT_SECRET);
});

it('why tokens are refused is logged once for each reason, without the tokens', async () => {
  const refusals = () => service.output().match(/The access token is refused: [^"\\]*/g) ?? [];
  const tokens: string[] = [];
  for (const claims of [{ iss: 'https://other.example.com' }, { sub: '' }])
    for (const jti of ['one', 'two', 'three']) tokens.push(await provider.sign({ ...claims, jti }));
  for (const token of tokens) expect(await statusOf('/v2/articles', `Bearer ${token}`)).toBe(401);
  await expect.poll(refusals).toContain('The access token is refused: it names no subject');
  const found = refusals().filter((line) => /it is from another issuer|it names no subject/.test(line));
  expect(found).toHaveLength(2);
  for (const token of tokens) expect(service.output()).not.toContain(token);
});
