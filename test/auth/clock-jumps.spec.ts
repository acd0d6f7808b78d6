import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type ScriptedProvider, signingKey } from '../support/identity-provider.js';
import { startVerification, type Store, Verification } from './verification.js';

const DAY_MS = 86_400_000;
const ACTIVE = { active: true, sub: 'alice', scope: 'readinglist' };
const JUMPS = [
  ['back by a second', -1_000],
  ['back by ten minutes', -600_000],
  ['back by days', -5 * DAY_MS],
  ['forward by ten minutes', 600_000],
  ['forward by days', 5 * DAY_MS],
] as const;

let provider: ScriptedProvider;
let verification: Verification;

beforeEach(async () => {
  ({ provider, verification } = await startVerification({ json: ACTIVE }));
});
afterEach(() => provider.close());

describe.each(JUMPS)('a time of day that is corrected %s', (_, ms) => {
  it('keeps a refusal for three seconds', async () => {
    provider.answers.set('/introspect', { json: { active: false } });
    expect(await verification.outcome('token')).toBe('401 / 105');
    provider.answers.set('/introspect', { json: ACTIVE });
    verification.setWrongBy(ms);
    expect(await verification.outcome('token')).toBe('401 / 105');
    verification.pass(3000);
    expect(await verification.outcome('token')).toBe('alice');
  });

  it('keeps a good token for its lifetime, no less and no more', async () => {
    await verification.outcome('token');
    verification.setWrongBy(ms);
    verification.pass(3_599_000);
    expect(verification.cached('token')).toBe('alice');
    verification.pass(1_000);
    expect(verification.cached('token')).toBeUndefined();
    expect(await verification.outcome('token')).toBe('alice');
    expect(provider.countOf('/introspect')).toBe(2);
  });

  it('keeps a signed token up to its expiry', async () => {
    const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 100 });
    expect(await verification.outcome(token)).toBe('alice');
    verification.setWrongBy(ms);
    expect(verification.cached(token)).toBe('alice');
    verification.pass(101_000);
    expect(verification.cached(token)).toBeUndefined();
  });

  it('reads keys again after ten minutes', async () => {
    await verification.outcome(await provider.sign());
    verification.setWrongBy(ms);
    verification.pass(599_000);
    await verification.outcome(await provider.sign({ jti: 'a' }));
    expect(provider.countOf('/jwks')).toBe(1);
    verification.pass(1_000);
    await verification.outcome(await provider.sign({ jti: 'b' }));
    await expect.poll(() => provider.countOf('/jwks')).toBe(2);
  });

  it('looks for unknown keys as often as ever', async () => {
    await verification.outcome(await provider.sign());
    for (let index = 0; index < 5; index++) await verification.outcome(await provider.sign({}, { kid: `k${index}` }));
    verification.setWrongBy(ms);
    verification.pass(10_000);
    verification.setWrongBy(0);
    const second = await signingKey('second');
    provider.answers.set('/jwks', { json: { keys: [second.jwk] } });
    expect(await verification.outcome(await provider.sign({}, {}, second))).toBe('alice');
  });
});

it.each(JUMPS)('what instances share lasts no longer than its lifetime where a clock was set %s', async (_, ms) => {
  const map = new Map<string, string>();
  const store: Store = {
    get: (key) => Promise.resolve(map.get(key) ?? null),
    set: (key, value) => Promise.resolve(void map.set(key, value)),
  };
  const wrong = new Verification(provider.issuer, {}, store);
  wrong.setWrongBy(ms);
  await wrong.outcome('token');
  const right = new Verification(provider.issuer, {}, store);
  expect(await right.outcome('token')).toBe('alice');
  right.pass(3_600_000);
  expect(right.cached('token')).toBeUndefined();
});
