import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDevelopmentProvider } from '../../dev/provider.js';
import { type Answer, ScriptedProvider } from '../support/identity-provider.js';
import { Verification } from './verification.js';

const CLIENT = 'reading-list';
const PROJECT = 'urn:zitadel:iam:org:project:id:42:aud';
const now = () => Math.floor(Date.now() / 1000);
/** A JWE in its compact form; only the provider can read it. */
const ENCRYPTED = [
  Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url'),
  '',
  'aXYtaXYtaXY',
  'Y2lwaGVydGV4dA',
  'dGFn',
].join('.');

/** What a provider hands out: `header` and `claims` of a signed token over those that all have, or another text. */
interface Shape {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  token?: string;
  /** What the provider says about the token; without it, it has no introspection. */
  introspection?: Record<string, unknown>;
  settings?: Record<string, string>;
}
type Row = [string, Shape, string];

let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

async function judge({ header, claims, token, introspection, settings }: Shape) {
  provider.publish(introspection ? {} : { introspection_endpoint: undefined });
  const answer: Answer = { json: { active: true, ...introspection } };
  provider.answers.set('/introspect', answer);
  const verification = new Verification(provider.issuer, settings);
  const presented = token ?? (await provider.sign({ scope: undefined, ...claims }, { typ: undefined, ...header }));
  return { outcome: await verification.outcome(presented), reason: await verification.reason(presented) };
}

/** The default access tokens of providers, with what the operator sets according to docs/operations.md. */
const accessTokens: Row[] = [
  [
    'Keycloak with an audience mapper',
    {
      header: { typ: 'JWT' },
      claims: { aud: [CLIENT, 'account'], azp: CLIENT, typ: 'Bearer', scope: 'openid profile readinglist', sid: 's' },
    },
    'alice',
  ],
  [
    'Keycloak before 24, which copies the nonce',
    {
      header: { typ: 'JWT' },
      claims: { aud: [CLIENT], azp: CLIENT, typ: 'Bearer', scope: 'readinglist', nonce: 'n', at_hash: undefined },
    },
    'alice',
  ],
  [
    'Keycloak with the audience account only',
    { header: { typ: 'JWT' }, claims: { aud: 'account', azp: CLIENT, typ: 'Bearer', scope: 'readinglist' } },
    '401 / 105',
  ],
  [
    'Keycloak with OAUTH_AUDIENCE=account',
    {
      header: { typ: 'JWT' },
      claims: { aud: 'account', azp: CLIENT, typ: 'Bearer', scope: 'readinglist' },
      settings: { OAUTH_AUDIENCE: 'account' },
    },
    'alice',
  ],
  [
    'authentik',
    { header: { typ: 'JWT' }, claims: { azp: CLIENT, uid: 'u', acr: 'x', scope: 'openid readinglist', nonce: 'n' } },
    'alice',
  ],
  [
    'Auth0 with audience=…',
    {
      header: { typ: 'JWT' },
      claims: { aud: ['https://list.example.com', 'https://x.auth0.com/userinfo'], azp: CLIENT, scope: 'readinglist' },
      settings: { OAUTH_AUDIENCE: 'https://list.example.com', OAUTH_LOGIN_PARAMETERS: 'audience=https://x' },
    },
    'alice',
  ],
  [
    'Okta, a custom authorization server',
    {
      claims: { ver: 1, aud: 'api://default', cid: CLIENT, uid: 'u', scp: ['openid', 'readinglist'], auth_time: 1 },
      settings: { OAUTH_AUDIENCE: 'api://default' },
    },
    'alice',
  ],
  [
    'Entra, version 2',
    {
      header: { typ: 'JWT', x5t: 'x' },
      claims: { ver: '2.0', azp: CLIENT, oid: 'o', tid: 't', scp: 'readinglist', uti: 'u' },
      settings: { OAUTH_SCOPE: 'openid api://x/readinglist', OAUTH_REQUIRED_SCOPE: 'readinglist' },
    },
    'alice',
  ],
  [
    'Cognito, which names the client instead of an audience',
    {
      claims: { aud: undefined, client_id: CLIENT, token_use: 'access', scope: 'openid list/all', version: 2 },
      settings: { OAUTH_SCOPE: 'openid list/all' },
    },
    'alice',
  ],
  [
    'Cognito for another client',
    {
      claims: { aud: undefined, client_id: 'other', token_use: 'access', scope: 'list/all' },
      settings: { OAUTH_SCOPE: 'list/all' },
    },
    '401 / 105',
  ],
  [
    'Cognito where OAUTH_AUDIENCE is another',
    {
      claims: { aud: undefined, client_id: CLIENT, token_use: 'access', scope: 'readinglist' },
      settings: { OAUTH_AUDIENCE: 'https://list.example.com' },
    },
    '401 / 105',
  ],
  [
    'Zitadel, opaque',
    {
      token: 'V2_opaque',
      introspection: { sub: 'alice', token_type: 'Bearer', aud: [CLIENT, '42'], scope: `openid ${PROJECT}` },
      settings: { OAUTH_SCOPE: `openid ${PROJECT}` },
    },
    'alice',
  ],
  ['Zitadel, JWT', { header: { typ: 'JWT' }, claims: { aud: [CLIENT, '42'], client_id: CLIENT, nbf: 1 } }, '401 / 105'],
  ['Dex', { claims: { aud: CLIENT, at_hash: 'h', email: 'a@example.com' } }, '401 / 105'],
  ['Google', { token: 'ya29.a0AfH6SMC' }, '401 / 105'],
  [
    'GitLab, whose introspection names no subject',
    {
      token: 'a'.repeat(64),
      introspection: { scope: 'openid read_user', client_id: CLIENT, token_type: 'Bearer', iat: 1 },
      settings: { OAUTH_SCOPE: 'openid read_user' },
    },
    '401 / 105',
  ],
  ['RFC 9068', { header: { typ: 'at+jwt' }, claims: { client_id: CLIENT, scope: 'readinglist' } }, 'alice'],
  ['RFC 9068, in full', { header: { typ: 'application/at+JWT' }, claims: { scope: ['readinglist'] } }, 'alice'],
  ['Spring, scp as a list', { claims: { aud: [CLIENT], scp: ['readinglist'] } }, 'alice'],
];

describe('an access token of', () => {
  it.each(accessTokens)('%s: %s', async (_, shape, outcome) => {
    expect((await judge(shape)).outcome).toBe(outcome);
  });
});

it('that can never be taken is named in the log', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  await judge({ token: 'ya29.a0AfH6SMC' });
  expect(warn.mock.calls.flat().join()).toContain('it is opaque, not a signed token, and the identity provider has no');
  warn.mockRestore();
});

it('there is a shape for every provider in the table of docs/operations.md', () => {
  const [, table] = /\n\| Provider .*\n\|.*\n((?:\|.*\n)+)/.exec(readFileSync('docs/operations.md', 'utf8'))!;
  const providers = [...table!.matchAll(/^\| (\w+)/gm)].map(([, name]) => name!).filter((name) => name !== 'any');
  expect(providers.length).toBeGreaterThanOrEqual(10);
  for (const name of providers) expect(accessTokens.some(([shape]) => shape.startsWith(name))).toBe(true);
});

describe('never taken for an access token:', () => {
  const idToken = { aud: CLIENT, azp: CLIENT, auth_time: 1, email: 'a@example.com' };
  it.each<[string, Shape]>([
    ['an ID token without type', { claims: idToken }],
    ['an ID token of type JWT', { header: { typ: 'JWT' }, claims: idToken }],
    ['an ID token with nonce and a scope', { claims: { ...idToken, nonce: 'n', scope: 'readinglist' } }],
    ['an ID token with at_hash and a scope', { claims: { ...idToken, at_hash: 'h', scope: 'readinglist' } }],
    ['an ID token with c_hash and scp', { claims: { ...idToken, c_hash: 'h', scp: ['readinglist'] } }],
    ['an ID token of Keycloak', { header: { typ: 'JWT' }, claims: { ...idToken, typ: 'ID', scope: 'readinglist' } }],
    ['an ID token of Cognito', { claims: { ...idToken, token_use: 'id', scope: 'readinglist' } }],
    [
      'an ID token of authentik with a scope mapping',
      { header: { typ: 'JWT' }, claims: { ...idToken, at_hash: 'h', uid: 'u', scope: 'readinglist' } },
    ],
    ['an ID token with the type of its own', { header: { typ: 'id_token' }, claims: { scope: 'readinglist' } }],
    ['an ID token where no scope is required', { claims: idToken, settings: { OAUTH_SCOPE: 'openid email' } }],
    ['a logout token', { header: { typ: 'logout+jwt' }, claims: { scope: 'readinglist' } }],
    [
      'a logout token of type JWT',
      {
        header: { typ: 'JWT' },
        claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, scope: 'readinglist' },
      },
    ],
    ['a refresh token of Keycloak', { header: { typ: 'JWT' }, claims: { typ: 'Refresh', scope: 'readinglist' } }],
    ['a token of DPoP', { header: { typ: 'dpop+jwt' }, claims: { scope: 'readinglist' } }],
    ['a client assertion', { header: { typ: 'client-authentication+jwt' }, claims: { scope: 'readinglist' } }],
    ['a secure event', { header: { typ: 'secevent+jwt' }, claims: { scope: 'readinglist' } }],
    ['an introspected refresh token', { token: 'opaque', introspection: { sub: 'alice', token_use: 'refresh_token' } }],
    [
      'an introspected ID token of Keycloak',
      { token: 'opaque', introspection: { sub: 'alice', typ: 'ID', scope: 'readinglist' } },
    ],
  ])('%s', async (_, shape) => {
    expect((await judge(shape)).outcome).toBe('401 / 105');
  });
});

describe('the audience of an introspected token', () => {
  it.each<[string, unknown, string]>([
    ['absent', undefined, 'alice'],
    ['null', null, 'alice'],
    ['an empty list', [], 'alice'],
    ['ours', CLIENT, 'alice'],
    ['one of several', ['account', CLIENT], 'alice'],
    ['another', 'account', '401 / 105'],
    ['an empty text', '', '401 / 105'],
    ['a number', 7, '401 / 105'],
  ])('%s', async (_, aud, outcome) => {
    const introspection = { sub: 'alice', scope: 'readinglist', aud };
    for (const token of ['opaque', ENCRYPTED]) expect((await judge({ token, introspection })).outcome).toBe(outcome);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['an empty list', []],
    ['absent', undefined],
  ])('%s is none in a signed one', async (_, aud) => {
    const header = { typ: 'at+jwt' };
    expect((await judge({ header, claims: { aud, scope: 'readinglist', client_id: CLIENT } })).outcome).toBe(
      '401 / 105',
    );
  });
});

describe('the issuer may have a slash at its end or not:', () => {
  it.each(['', '/'])('%j', async (slash) => {
    const claims = { iss: `${provider.issuer}${slash}`, scope: 'readinglist' };
    expect((await judge({ header: { typ: 'at+jwt' }, claims })).outcome).toBe('alice');
    const introspection = { sub: 'alice', scope: 'readinglist', iss: `${provider.issuer}${slash}` };
    expect((await judge({ token: 'opaque', introspection })).outcome).toBe('alice');
  });
});

describe('the message of a refusal says what is wrong with', () => {
  const atJwt = { header: { typ: 'at+jwt' } };
  it.each<[string, Shape, string]>([
    [
      'an opaque token',
      { token: 'ya29.a0AfH6SMC' },
      'it is opaque, not a signed token, and the identity provider has no',
    ],
    ['an encrypted token', { token: ENCRYPTED }, 'it is encrypted, and the identity provider has no introspection'],
    ['a type', { header: { typ: 'logout+jwt' } }, 'its type "logout+jwt" is not that of an access token'],
    ['a token without scope', { claims: {} }, 'it has no scope, so it may be an ID token'],
    ['a nonce', { claims: { scope: 'readinglist', nonce: 'n' } }, 'it is an ID token: it has the claim nonce'],
    [
      'an audience',
      { ...atJwt, claims: { aud: ['account', 'x'], scope: 'readinglist' } },
      'its audience is "account", "x", not "reading-list"',
    ],
    ['a subject', { ...atJwt, claims: { sub: undefined, scope: 'readinglist' } }, 'it names no subject'],
    ['an issuer', { ...atJwt, claims: { iss: 'https://sts.example.com' } }, 'it is from another issuer'],
    ['an age', { ...atJwt, claims: { exp: now() - 60 } }, 'it has expired'],
    ['a scope', { ...atJwt, claims: { scope: 'openid' } }, 'lacks the scope readinglist: it has "openid"'],
  ])('%s', async (_, shape, text) => {
    expect((await judge(shape)).reason).toContain(text);
  });

  it('a signature with a secret', async () => {
    const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
    expect((await judge({ token: `${header}.e30.c2ln` })).reason).toContain(
      'its algorithm HS256 is not a public-key algorithm',
    );
  });
});

it.each(['opaque', 'jwt'] as const)(
  'a real provider: its %s access token is taken, its ID token is not',
  async (tokenFormat) => {
    const real = await startDevelopmentProvider({ port: 0, tokenFormat });
    const verification = new Verification(real.issuer);
    expect(await verification.outcome(await real.issue('alice'))).toBe('alice');
    expect(await verification.outcome(await real.issue('alice', { kind: 'id' }))).toBe('401 / 105');
    await real.close();
  },
);
