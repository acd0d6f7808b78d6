import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { ScriptedProvider } from '../support/identity-provider.js';
import { startVerification, type Store, Verification } from './verification.js';

const ACTIVE = { active: true, sub: 'alice', scope: 'readinglist' };

let provider: ScriptedProvider;
let verification: Verification;

beforeEach(async () => {
  ({ provider, verification } = await startVerification({ json: ACTIVE }));
});
afterEach(() => provider.close());

const countOfCalls = () => provider.countOf('/introspect');

describe('an accepted token', () => {
  it('is asked about once in its lifetime', async () => {
    for (let index = 0; index < 5; index++) await verification.outcome('token');
    expect(countOfCalls()).toBe(1);
    verification.pass(3_599_000);
    await verification.outcome('token');
    expect(countOfCalls()).toBe(1);
    verification.pass(1_000);
    expect(verification.cached('token')).toBeUndefined();
    await verification.outcome('token');
    expect(countOfCalls()).toBe(2);
  });

  it('is asked about each time when the lifetime is 0', async () => {
    verification = new Verification(provider.issuer, { OAUTH_TOKEN_CACHE_SECONDS: '0' });
    for (let index = 0; index < 3; index++) expect(await verification.outcome('token')).toBe('alice');
    expect(countOfCalls()).toBe(3);
  });

  it('is asked about once by simultaneous requests', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => verification.outcome('token')));
    expect(new Set(outcomes)).toEqual(new Set(['alice']));
    expect(countOfCalls()).toBe(1);
  });

  it('is not another token, though they take turns on a connection', async () => {
    provider.answers.set('/introspect', ({ body }) => ({ json: { ...ACTIVE, sub: body.get('token') } }));
    const tokens = ['a', 'b', 'a', 'A'];
    expect(await Promise.all(tokens.map((token) => verification.outcome(token)))).toEqual(tokens);
    expect([...tokens, 'unknown', 'b', 'b'].map((token) => verification.cached(token))).toEqual([
      ...tokens,
      undefined,
      'b',
      'b',
    ]);
  });
});

describe('a refused token', () => {
  it.each([
    ['401 / 105', { active: false }],
    ['403 / 121', { ...ACTIVE, scope: 'other' }],
  ])('with %s is remembered for three seconds', async (outcome, json) => {
    provider.answers.set('/introspect', { json });
    for (let index = 0; index < 5; index++) expect(await verification.outcome('token')).toBe(outcome);
    expect(countOfCalls()).toBe(1);
    expect(verification.cached('token')).toBeUndefined();
    provider.answers.set('/introspect', { json: ACTIVE });
    verification.pass(3000);
    expect(await verification.outcome('token')).toBe('alice');
  });

  it('does not push accepted ones out, in any number', async () => {
    await verification.outcome('good');
    provider.answers.set('/introspect', { status: 400, json: { error: 'unsupported_token_type' } });
    for (let index = 0; index < 300; index++) await verification.outcome(`bad${index}`);
    expect(verification.cached('good')).toBe('alice');
  });
});

it('a failure of the provider is not remembered for the token', async () => {
  provider.answers.set('/introspect', { status: 500, text: '' });
  expect(await verification.outcome('token')).toBe('503 / 201');
  provider.answers.set('/introspect', { json: ACTIVE });
  expect(await verification.outcome('token')).toBe('alice');
});

describe('unknown key ids', () => {
  it('cost the provider one call in five seconds, however many tokens name them', async () => {
    await verification.outcome(await provider.sign());
    const before = provider.countOf('/jwks');
    for (let index = 0; index < 100; index++)
      expect(await verification.outcome(await provider.sign({}, { kid: `spray${index}` }))).toBe('401 / 105');
    expect(provider.countOf('/jwks') - before).toBe(1);
    verification.pass(5_000);
    await verification.outcome(await provider.sign({}, { kid: 'later' }));
    expect(provider.countOf('/jwks') - before).toBe(2);
  });

  it('cost one call when they come at once', async () => {
    await verification.outcome(await provider.sign());
    const tokens = await Promise.all(Array.from({ length: 30 }, (_, index) => provider.sign({}, { kid: `k${index}` })));
    await Promise.all(tokens.map((token) => verification.outcome(token)));
    expect(provider.countOf('/jwks')).toBe(2);
  });
});

describe('instances with a common store', () => {
  const storeOf = (map: Map<string, string>): Store => ({
    get: (key) => Promise.resolve(map.get(key) ?? null),
    set: (key, value) => Promise.resolve(void map.set(key, value)),
  });

  it('ask about a token once, and keep no token in it', async () => {
    const map = new Map<string, string>();
    const [one, two] = [1, 2].map(() => new Verification(provider.issuer, {}, storeOf(map)));
    expect([await one!.outcome('the-token'), await two!.outcome('the-token')]).toEqual(['alice', 'alice']);
    expect(countOfCalls()).toBe(1);
    expect(JSON.stringify([...map])).not.toContain('the-token');
  });

  it('do not make the lifetime longer', async () => {
    const map = new Map<string, string>();
    await new Verification(provider.issuer, {}, storeOf(map)).outcome('token');
    const later = new Verification(provider.issuer, {}, storeOf(map));
    later.pass(3_000_000);
    await later.outcome('token');
    expect(countOfCalls()).toBe(1);
    later.pass(600_000);
    await later.outcome('token');
    expect(countOfCalls()).toBe(2);
  });

  it('do not share between services with other rules', async () => {
    const map = new Map<string, string>();
    await new Verification(provider.issuer, {}, storeOf(map)).outcome('token');
    const other = new Verification(provider.issuer, { OAUTH_SCOPE: 'other' }, storeOf(map));
    expect(await other.outcome('token')).toBe('403 / 121');
  });

  it('work without it', async () => {
    const fail = () => Promise.reject(new Error('away'));
    const broken = new Verification(provider.issuer, {}, { get: fail, set: fail });
    expect(await broken.outcome('token')).toBe('alice');
  });
});
