import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import type { TokenWish } from '../../dev/provider-tokens.js';
import { newPersonalToken, PersonalTokens } from '../../src/auth/tokens/personal-tokens.js';
import { TokenVerifier } from '../../src/auth/tokens/token-verifier.js';
import { readSettings } from '../../src/config/load-settings.js';
import type { Token } from '../../src/database/entities/token.entity.js';
import { passMonotonic, Verification } from './verification.js';

let provider: DevelopmentProvider;
let verification: Verification;

beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
});
beforeEach(() => {
  verification = new Verification(provider.issuer);
});
afterAll(() => provider.close());

describe.each(['opaque', 'jwt'] as const)('a real provider issues %s access tokens:', (format) => {
  it.each<[string, TokenWish, string]>([
    ['a good one stands for its subject', {}, 'alice'],
    ['several scopes contain the required one', { scope: 'openid readinglist other' }, 'alice'],
    ['without the scope', { scope: 'openid' }, '403 / 121'],
    ['with a scope that only begins alike', { scope: 'readinglists' }, '403 / 121'],
  ])('%s', async (_, wish, outcome) => {
    expect(await verification.outcome(await provider.issue('alice', { format, ...wish }))).toBe(outcome);
  });

  it('the identity has the configured issuer, the subject and the expiry in milliseconds', async () => {
    const { issuer, subject, expiresAt } = await verification.identify(await provider.issue('bob', { format }));
    expect({ issuer, subject }).toEqual({ issuer: provider.issuer, subject: 'bob' });
    expect(Math.abs(expiresAt! - Date.now() - 3_600_000)).toBeLessThan(5000);
  });
});

describe('not an access token of a real provider', () => {
  it.each<[string, TokenWish]>([
    ['an ID token for this service', { kind: 'id' }],
    ['a JWT for another audience', { format: 'jwt', audience: 'https://other.example.com' }],
  ])('%s is refused', async (_, wish) => {
    expect(await verification.outcome(await provider.issue('alice', wish))).toBe('401 / 105');
  });

  it('an opaque text the provider does not know is refused', async () => {
    expect(await verification.outcome('no-such-token')).toBe('401 / 105');
  });

  it('a JWT with a changed claim, header or signature is refused', async () => {
    const parts = (await provider.issue('alice', { format: 'jwt' })).split('.');
    const claims = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'mallory' })).toString('base64url');
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of [
      parts.with(1, forged),
      parts.with(2, `A${parts[2]!.slice(1)}B`),
      parts.with(2, ''),
      [header, parts[1]!, ''],
    ])
      expect(await verification.outcome(token.join('.'))).toBe('401 / 105');
  });
});

describe('in the course of time', () => {
  it('the new key of a provider is found without a restart and the old one no longer counts', async () => {
    const old = await provider.issue('alice', { format: 'jwt' });
    const another = await provider.issue('alice', { format: 'jwt', seconds: 3000 });
    expect(await verification.outcome(old)).toBe('alice');
    await provider.rotateKeys();
    expect(await verification.outcome(await provider.issue('bob', { format: 'jwt' }))).toBe('bob');
    expect(await verification.outcome(another)).toBe('401 / 105');
  });

  it('a revoked opaque token is refused once the cache has forgotten it', async () => {
    verification = new Verification(provider.issuer, { OAUTH_TOKEN_CACHE_SECONDS: '60' });
    const token = await provider.issue('alice');
    expect(await verification.outcome(token)).toBe('alice');
    await provider.revoke(token);
    verification.pass(59_000);
    expect(await verification.outcome(token)).toBe('alice');
    verification.pass(1_000);
    expect(await verification.outcome(token)).toBe('401 / 105');
  });

  it.each(['opaque', 'jwt'] as const)('an %s token is not kept beyond its expiry', async (format) => {
    const token = await provider.issue('alice', { format, seconds: 100 });
    expect(await verification.outcome(token)).toBe('alice');
    expect(verification.cached(token)).toBe('alice');
    verification.pass(101_000);
    expect(verification.cached(token)).toBeUndefined();
    verification.pass(30_000);
    expect(await verification.outcome(token)).toBe('401 / 105');
  });
});

it('a provider with an audience that the settings do not name is refused, and accepted with it', async () => {
  const token = await provider.issue('alice', { format: 'jwt', audience: 'https://list.example.com' });
  expect(await verification.outcome(token)).toBe('401 / 105');
  const withPublicUrl = new Verification(provider.issuer, { PUBLIC_URL: 'https://list.example.com' });
  expect(await withPublicUrl.outcome(token)).toBe('alice');
  const withAudience = new Verification(provider.issuer, { OAUTH_AUDIENCE: 'https://list.example.com' });
  expect(await withAudience.outcome(token)).toBe('alice');
});

const ADDRESS = '192.0.2.1';
const never = () => new Promise<never>(() => undefined);

it('a personal token that a hung database cannot find is not blamed on the identity provider', async () => {
  const hung = { onSession: never };
  const settings = readSettings({});
  const personal = new PersonalTokens(hung as never, settings, Date.now);
  const verifier = new TokenVerifier(settings, personal, undefined as never);
  await expect(verifier.verify(newPersonalToken(), ADDRESS)).rejects.toMatchObject({
    status: 503,
    errno: 201,
    message: 'The database is not available; try again later',
  });
});

describe('while strangers have as many tokens checked as may be', () => {
  const token = newPersonalToken();
  const row = {
    subject: 'alice',
    name: 'phone',
    token_hash: Buffer.alloc(32),
    expires_on: null,
    last_used_on: Date.now(),
  } as unknown as Token;
  let response: () => Promise<Token | undefined>;
  const settings = readSettings({});
  const personalTokens = () => new PersonalTokens({ onSession: () => response() } as never, settings, Date.now);
  const verifierOf = () => new TokenVerifier(settings, personalTokens(), { check: never } as never);
  const flood = (verifier: TokenVerifier, tokens: () => string) => {
    for (let at = 0; at < 1_100; at++) verifier.verify(tokens(), ADDRESS).catch(() => undefined);
  };

  it('at a provider that hangs, a personal token opens the list', async () => {
    response = () => Promise.resolve(row);
    const verifier = verifierOf();
    flood(verifier, () => randomUUID());
    expect(await verifier.verify(token, ADDRESS)).toMatchObject({ subject: 'alice' });
    await expect(verifier.verify('another', ADDRESS)).rejects.toMatchObject({ status: 503, errno: 201 });
  });

  it('in a database that hangs, a personal token that was good before opens the list', async () => {
    response = () => Promise.resolve(row);
    const verifier = verifierOf();
    await verifier.verify(token, ADDRESS);
    response = never;
    passMonotonic(10_000);
    flood(verifier, newPersonalToken);
    expect(await verifier.verify(token, ADDRESS)).toMatchObject({ subject: 'alice' });
    await expect(verifier.verify(newPersonalToken(), ADDRESS)).rejects.toMatchObject({ status: 503, errno: 201 });
  });
});
