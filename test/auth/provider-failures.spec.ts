import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ScriptedProvider, signingKey } from '../support/identity-provider.js';
import { startVerification, Verification } from './verification.js';

const DISCOVERY = '/.well-known/openid-configuration';
const OAUTH_DISCOVERY = '/.well-known/oauth-authorization-server';
const ACTIVE = { active: true, sub: 'alice', scope: 'readinglist' };

let provider: ScriptedProvider;
let verification: Verification;

beforeEach(async () => {
  ({ provider, verification } = await startVerification());
});
afterEach(() => provider.close());

const nonsense: [string, Answer][] = [
  ['HTML', { text: '<html>Welcome</html>' }],
  ['an empty answer', { text: '' }],
  ['a JSON text', { json: 'hello' }],
  ['a JSON list', { json: [] }],
  ['null', { json: null }],
  ['an empty object', { json: {} }],
  ['500', { status: 500, json: {} }],
  ['404', { status: 404, text: 'no' }],
  ['403', { status: 403, json: { error: 'access_denied' } }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' }, text: '' }],
  ['more than it should', { json: { issuer: 'x', filler: 'x'.repeat(600_000) } }],
  ['a closed connection', 'cut'],
];

describe('503 / 201 for JWTs and opaque tokens when discovery gives', () => {
  it.each(nonsense)('%s', async (_, answer) => {
    provider.answers.set(DISCOVERY, answer);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    expect(await verification.outcome(await provider.sign())).toBe('503 / 201');
    expect(provider.countOf('/introspect') + provider.countOf('/jwks')).toBe(0);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { issuer: 'https://evil.test' }],
    ['no issuer', { issuer: undefined }],
    ['an issuer that only begins alike', { issuer: 'http://127.0.0.1:1' }],
    ['no way to check tokens', { introspection_endpoint: undefined, jwks_uri: undefined }],
    ['an endpoint on plain http', { jwks_uri: 'http://keys.example.com/' }],
    ['an endpoint on a host that looks like loopback', { jwks_uri: 'http://127.0.0.1.example.com/' }],
    ['an endpoint in a file', { introspection_endpoint: 'file:///etc/passwd' }],
    ['an endpoint that is not a URL', { token_endpoint: '/token' }],
    ['an endpoint that is not a text', { authorization_endpoint: {} }],
  ])('%s', async (_, changes) => {
    provider.publish(changes);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    expect(await verification.outcome(await provider.sign())).toBe('503 / 201');
  });
});

describe('503 / 201 for opaque tokens when introspection gives', () => {
  const more: [string, Answer][] = [
    ['401', { status: 401, json: { error: 'invalid_client' }, headers: { 'www-authenticate': 'Basic realm="x"' } }],
    ['400 about this service', { status: 400, json: { error: 'invalid_request' } }],
    ['active as a text', { json: { ...ACTIVE, active: 'true' } }],
  ];
  it.each([...nonsense, ...more])('%s', async (_, answer) => {
    provider.answers.set('/introspect', answer);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
  });
});

describe('503 / 201 for JWTs when the key set gives', () => {
  const more: [string, Answer][] = [
    ['keys that are not a list', { json: { keys: 'all' } }],
    ['keys that are not objects', { json: { keys: ['a', 'b'] } }],
    ['a malformed key', { json: { keys: [{ kty: 'EC', crv: 'P-256', kid: 'first', x: 'AA', y: 'AA' }] } }],
  ];
  it.each([...nonsense, ...more])('%s', async (_, answer) => {
    provider.answers.set('/jwks', answer);
    expect(await verification.outcome(await provider.sign())).toBe('503 / 201');
  });
});

describe('an introspection decides:', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  it.each<[string, () => Record<string, unknown>, string]>([
    ['active with subject and scope', () => ({}), 'alice'],
    ['bearer in any case', () => ({ token_type: 'BEARER', token_use: 'access_token' }), 'alice'],
    [
      'good issuer, audience and times',
      () => ({ iss: provider.issuer, aud: ['reading-list'], exp: seconds() + 9 }),
      'alice',
    ],
    ['not active', () => ({ active: false }), '401 / 105'],
    ['other issuer', () => ({ iss: 'https://evil.test' }), '401 / 105'],
    ['other audience', () => ({ aud: 'other' }), '401 / 105'],
    ['expired', () => ({ exp: seconds() - 60 }), '401 / 105'],
    ['not yet valid', () => ({ nbf: seconds() + 60 }), '401 / 105'],
    ['no subject', () => ({ sub: undefined }), '401 / 105'],
    ['bound to a key', () => ({ cnf: { jkt: 'x' } }), '401 / 105'],
    ['another kind of token', () => ({ token_type: 'DPoP' }), '401 / 105'],
    ['a refresh token', () => ({ token_use: 'refresh_token' }), '401 / 105'],
    ['no scope', () => ({ scope: undefined }), '403 / 121'],
  ])('%s', async (_, changes, outcome) => {
    provider.answers.set('/introspect', { json: { ...ACTIVE, ...changes() } });
    expect(await verification.outcome('opaque')).toBe(outcome);
  });

  it('a token in a form that the provider does not introspect is refused', async () => {
    provider.answers.set('/introspect', { status: 400, json: { error: 'unsupported_token_type' } });
    expect(await verification.outcome('opaque')).toBe('401 / 105');
  });

  it('an opaque token is refused by a provider that has signed ones only', async () => {
    provider.publish({ introspection_endpoint: undefined });
    expect(await verification.outcome('opaque')).toBe('401 / 105');
  });
});

describe('the service shows itself to introspection', () => {
  beforeEach(() => provider.answers.set('/introspect', { json: ACTIVE }));

  it('by HTTP Basic, the token in the body', async () => {
    await verification.outcome('opaque');
    const call = provider.calls.at(-1)!;
    const credentials = Buffer.from('reading-list:development-client-secret').toString('base64');
    expect(call.authorization).toBe(`Basic ${credentials}`);
    expect(call.body.get('token')).toBe('opaque');
  });

  it('form-encoded, when its secret has other characters', async () => {
    verification = new Verification(provider.issuer, { OAUTH_CLIENT_SECRET: 'a:b c%/ü' });
    await verification.outcome('opaque');
    const credentials = Buffer.from(provider.calls.at(-1)!.authorization!.slice(6), 'base64').toString();
    expect(credentials).toBe('reading-list:a%3Ab+c%25%2F%C3%BC');
  });

  it('in the body, when that is what the provider takes', async () => {
    provider.publish({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
    await verification.outcome('opaque');
    const { authorization, body } = provider.calls.at(-1)!;
    expect(authorization).toBeUndefined();
    expect(body.get('client_secret')).toBe('development-client-secret');
  });

  it('in the body, from the first refusal by HTTP Basic on, when the provider offers both', async () => {
    provider.publish({ token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] });
    provider.answers.set('/introspect', ({ authorization }) =>
      authorization ? { status: 401, json: { error: 'invalid_client' } } : { json: ACTIVE },
    );
    expect(await verification.outcome('one')).toBe('alice');
    expect(provider.calls.at(-1)!.body.get('client_secret')).toBe('development-client-secret');
    expect(provider.countOf('/introspect')).toBe(2);
    expect(await verification.outcome('two')).toBe('alice');
    expect(provider.countOf('/introspect')).toBe(3);
    expect(await verification.provider.state()).toBe(true);
  });
});

describe('discovery', () => {
  beforeEach(() => provider.answers.set('/introspect', { json: ACTIVE }));

  it('takes the RFC 8414 document when there is no OpenID one', async () => {
    provider.answers.set(OAUTH_DISCOVERY, provider.answers.get(DISCOVERY)!);
    provider.answers.delete(DISCOVERY);
    expect(await verification.outcome('opaque')).toBe('alice');
  });

  it('finds the documents of an issuer with a path', async () => {
    const issuer = `${provider.issuer}/realms/a`;
    const document = { issuer, introspection_endpoint: `${provider.issuer}/introspect` };
    provider.answers.set(`${OAUTH_DISCOVERY}/realms/a`, { json: document });
    expect(await new Verification(issuer).outcome('opaque')).toBe('alice');
    provider.answers.set('/realms/a/.well-known/openid-configuration', { json: document });
    expect(await new Verification(`${issuer}/`).outcome('opaque')).toBe('alice');
  });

  it('takes an issuer with a slash at its end, whose tokens have it as well', async () => {
    provider.publish({ issuer: `${provider.issuer}/` });
    const token = await provider.sign({ iss: `${provider.issuer}/` });
    expect(await verification.identify(token)).toMatchObject({ issuer: provider.issuer, subject: 'alice' });
  });

  it('is one call for any number of simultaneous tokens', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => verification.outcome(`opaque${index}`)));
    expect(provider.countOf(DISCOVERY)).toBe(1);
  });

  it('is not repeated for ten seconds, then it is', async () => {
    await verification.outcome('one');
    verification.pass(9_000);
    await verification.outcome('two');
    expect(provider.countOf(DISCOVERY)).toBe(1);
    verification.pass(1_000);
    await verification.outcome('three');
    await expect.poll(() => provider.countOf(DISCOVERY)).toBe(2);
  });

  it('keeps what it knows while it fails', async () => {
    await verification.outcome('one');
    provider.answers.set(DISCOVERY, { text: '<html>' });
    verification.pass(600_000);
    expect(await verification.outcome('two')).toBe('alice');
  });

  it('that a heartbeat overtakes serves the token that waits for it', async () => {
    const good = provider.answers.get(DISCOVERY) as Answer;
    let isFirst = true;
    provider.answers.set(DISCOVERY, async () => {
      if (isFirst) {
        isFirst = false;
        await expect.poll(() => overtaken).toBe(true);
      }
      return good;
    });
    let overtaken = false;
    const outcome = verification.outcome('opaque');
    await expect.poll(() => isFirst).toBe(false);
    expect(await verification.provider.state()).toBe(true);
    overtaken = true;
    expect(await outcome).toBe('alice');
  });

  it('works as soon as the provider does', async () => {
    const good = provider.answers.get(DISCOVERY)!;
    provider.answers.set(DISCOVERY, { status: 503, text: '' });
    expect(await verification.outcome('token')).toBe('503 / 201');
    provider.answers.set(DISCOVERY, good);
    expect(await verification.outcome('token')).toBe('alice');
  });

  it('that fails is not repeated for ten seconds either', async () => {
    await verification.outcome('one');
    provider.answers.set(DISCOVERY, { status: 500 });
    verification.pass(10_000);
    for (const token of ['two', 'three', 'four']) {
      expect(await verification.outcome(token)).toBe('alice');
      await expect.poll(() => provider.countOf(OAUTH_DISCOVERY)).toBe(1);
    }
    expect(provider.countOf(DISCOVERY)).toBe(2);
  });

  it('finds an endpoint that has moved, within ten seconds', async () => {
    await verification.outcome('one');
    provider.publish({ introspection_endpoint: `${provider.issuer}/introspect2` });
    provider.answers.set('/introspect2', { json: ACTIVE });
    provider.answers.delete('/introspect');
    verification.pass(10_000);
    expect(await verification.outcome('two')).toBe('503 / 201');
    await expect.poll(() => verification.outcome('two')).toBe('alice');
  });

  it('finds keys that have moved, within ten seconds', async () => {
    await verification.outcome(await provider.sign());
    const second = await signingKey('second');
    provider.publish({ jwks_uri: `${provider.issuer}/jwks2` });
    provider.answers.set('/jwks2', { json: { keys: [second.jwk] } });
    provider.answers.delete('/jwks');
    verification.pass(10_000);
    const token = await provider.sign({}, {}, second);
    expect(await verification.outcome(token)).toBe('503 / 201');
    await expect.poll(() => verification.outcome(token)).toBe('alice');
  });
});

describe('a key that is replaced by one', () => {
  it.each([
    ['of the same name', 'first'],
    ['without a name', undefined],
  ])('%s counts at once, and the next one within 30 s', async (_, kid) => {
    const replace = async () => {
      const key = await signingKey('first');
      provider.answers.set('/jwks', { json: { keys: [{ ...key.jwk, kid }] } });
      return (sub: string) => provider.sign({ sub }, { kid }, key);
    };
    expect(await verification.outcome(await provider.sign())).toBe('alice');
    const second = await replace();
    expect(await verification.outcome(await second('bob'))).toBe('bob');
    const third = await replace();
    for (let index = 0; index < 20; index++)
      expect(await verification.outcome(await third(`carol${index}`))).toBe('401 / 105');
    expect(provider.countOf('/jwks')).toBe(2);
    verification.pass(30_000);
    expect(await verification.outcome(await third('carol'))).toBe('carol');
    expect(await verification.outcome(await second('dave'))).toBe('401 / 105');
  });
});

describe('a provider that hangs', () => {
  const tookMs = async (work: () => Promise<unknown>) => {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
  };
  /** How long work took, and as how long this process, which may be busy, counts so many milliseconds meanwhile. */
  const beside = (ms: number, work: () => Promise<unknown>) => Promise.all([tookMs(work), tookMs(() => sleep(ms))]);
  /** Far less than any wait for a provider. */
  const WITHOUT_WAITING_MS = 2_000;

  it('in discovery, introspection or keys is answered for with 503 / 201 after five seconds', async () => {
    const paths = { discovery: DISCOVERY, introspection: '/introspect', keys: '/jwks' };
    const hangs = async ([part, path]: [string, string]) => {
      const hanging = await ScriptedProvider.start();
      hanging.answers.set(path, 'hang');
      const token = part === 'keys' ? await hanging.sign() : 'opaque';
      const one = new Verification(hanging.issuer);
      const answered = async () => expect(await one.outcome(token), part).toBe('503 / 201');
      const [took, fiveSeconds] = await beside(5_000, answered);
      await hanging.close();
      expect(took, part).toBeGreaterThan(4500);
      expect(took, part).toBeLessThan(fiveSeconds);
    };
    await Promise.all(Object.entries(paths).map(hangs));
  });

  it('does not slow down a token that is known', async () => {
    const token = await provider.sign();
    await verification.outcome(token);
    for (const path of [DISCOVERY, '/introspect', '/jwks']) provider.answers.set(path, 'hang');
    verification.pass(550_000);
    expect(verification.cached(token)).toBe('alice');
    expect(await tookMs(() => verification.outcome(token))).toBeLessThan(WITHOUT_WAITING_MS);
  });

  it('does not slow down a new token that is signed with a known key, however old', async () => {
    await verification.outcome(await provider.sign());
    for (const path of [DISCOVERY, '/introspect', '/jwks']) provider.answers.set(path, 'hang');
    verification.pass(86_400_000);
    const token = await provider.sign({ sub: 'bob', exp: Math.floor(Date.now() / 1000) + 90_000 });
    const took = await tookMs(async () => expect(await verification.outcome(token)).toBe('bob'));
    expect(took).toBeLessThan(WITHOUT_WAITING_MS);
  });

  it('is not waited for by more than a thousand tokens of one address', async () => {
    provider.answers.set(DISCOVERY, 'hang');
    const waiting = Array.from({ length: 1020 }, (_, index) => verification.outcome(`token${index}`));
    const took = await tookMs(async () => expect(await verification.outcome('another')).toBe('503 / 201'));
    expect(took).toBeLessThan(WITHOUT_WAITING_MS);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['503 / 201']));
  });

  it('is waited for by ten thousand tokens, and the oldest is refused for one more', async () => {
    provider.answers.set(DISCOVERY, 'hang');
    const waiting = Array.from({ length: 10_001 }, (_, index) =>
      verification.outcome(`token${index}`, `192.0.2.${index % 20}`),
    );
    const took = await tookMs(async () => expect(await waiting[0]).toBe('503 / 201'));
    expect(took).toBeLessThan(WITHOUT_WAITING_MS);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['503 / 201']));
  });

  it('is unreachable for the heartbeat within three seconds', async () => {
    provider.answers.set(DISCOVERY, 'hang');
    const found = async () => expect(await verification.provider.state()).toBe(false);
    const [took, threeSeconds] = await beside(3_000, found);
    expect(took).toBeLessThan(threeSeconds);
  });
});

describe('a provider that is away', () => {
  it('leaves known tokens working, answers 503 / 201 for others, and is found when it is back', async () => {
    provider.answers.set('/introspect', { json: ACTIVE });
    const token = await provider.sign();
    expect(await verification.outcome(token)).toBe('alice');
    await provider.close();
    expect(await verification.outcome(token)).toBe('alice');
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    expect(await verification.outcome(await provider.sign({}, { kid: 'unknown' }))).toBe('503 / 201');
    expect(await verification.provider.state()).toBe(false);
    await provider.reopen();
    verification.pass(2001);
    expect(await verification.provider.state()).toBe(true);
    expect(await verification.outcome('opaque')).toBe('alice');
  });

  it('may be away when the service starts', async () => {
    await provider.close();
    verification = new Verification(provider.issuer);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    await provider.reopen();
    expect(await verification.outcome(await provider.sign())).toBe('alice');
  });

  it('is asked for its keys every ten seconds, once they are old, and not for each token', async () => {
    await verification.outcome(await provider.sign());
    provider.answers.set('/jwks', { status: 500 });
    verification.pass(600_000);
    for (const [asked, waited] of [
      [2, 0],
      [3, 10_000],
    ] as const) {
      verification.pass(waited);
      for (const jti of ['a', 'b', 'c']) {
        expect(await verification.outcome(await provider.sign({ jti: `${jti}${asked}` }))).toBe('alice');
        await expect.poll(() => provider.countOf('/jwks')).toBe(asked);
      }
    }
    expect(await verification.outcome(await provider.sign({}, { kid: 'unknown' }))).toBe('503 / 201');
  });

  it('is never a reason to refuse a token of an unknown key, however many there are', async () => {
    await verification.outcome(await provider.sign());
    await provider.close();
    for (let index = 0; index < 10; index++)
      expect(await verification.outcome(await provider.sign({}, { kid: `k${index}` }))).toBe('503 / 201');
    await provider.reopen();
  });
});

describe('a provider that does not accept this service', () => {
  const refusals: [string, Answer][] = [
    ['as it should be', { status: 401, json: { error: 'invalid_client' } }],
    ['with a challenge', { status: 401, json: {}, headers: { 'www-authenticate': 'Basic realm="x"' } }],
    ['with 400', { status: 400, json: { error: 'invalid_client' } }],
    ['as Keycloak does', { status: 401, json: { error: 'unauthorized_client' } }],
    ['with a page', { status: 401, text: '<html>' }],
  ];
  const messageOf = async (token: string) =>
    ((await verification.identify(token).catch((error: unknown) => error)) as Error).message;

  it.each(refusals)('is told from one that is away, %s', async (_, answer) => {
    provider.answers.set('/introspect', answer);
    expect(await verification.provider.state()).toMatch(/OAUTH_CLIENT_SECRET/);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    expect(await messageOf('another')).toContain('the provider refuses OAUTH_CLIENT_ID / OAUTH_CLIENT_SECRET');
  });

  it('is ready as soon as it does', async () => {
    provider.answers.set('/introspect', refusals[0]![1]);
    expect(await verification.outcome('opaque')).toBe('503 / 201');
    provider.answers.set('/introspect', { json: ACTIVE });
    verification.pass(2001);
    expect(await verification.provider.state()).toBe(true);
    expect(await verification.outcome('opaque')).toBe('alice');
  });

  it.each([...nonsense, ['no such token', { json: { active: false } }] as [string, Answer]])(
    'is not one whose introspection gives %s',
    async (_, answer) => {
      provider.answers.set('/introspect', answer);
      expect(await verification.provider.state()).toBe(true);
    },
  );
});

it('what a provider answers is in no error message', async () => {
  provider.answers.set('/introspect', { status: 500, text: 'secret-detail' });
  const error = await verification.identify('opaque-secret-token').catch((failure: unknown) => failure as Error);
  const told = JSON.stringify([error, (error as Error).message, String((error as Error).cause)]);
  expect(told).not.toMatch(/secret-detail|opaque-secret-token|development-client-secret/);
});
