import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedProvider, signingKey } from '../support/identity-provider.js';
import { startVerification, Verification } from './verification.js';

let provider: ScriptedProvider;
let verification: Verification;

beforeEach(async () => {
  ({ provider, verification } = await startVerification());
});
afterEach(() => provider.close());

const seconds = () => Math.floor(Date.now() / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the claims of a signed token decide:', () => {
  it.each<[string, () => Record<string, unknown>, string]>([
    ['all good', () => ({}), 'alice'],
    ['scope as a list', () => ({ scope: ['a', 'readinglist'] }), 'alice'],
    ['scope called scp', () => ({ scope: undefined, scp: ['readinglist'] }), 'alice'],
    ['one of several audiences', () => ({ aud: ['other', 'reading-list'] }), 'alice'],
    ['expired within the leeway', () => ({ exp: seconds() - 20 }), 'alice'],
    ['valid from soon, within the leeway', () => ({ nbf: seconds() + 20 }), 'alice'],
    ['issued soon, within the leeway', () => ({ iat: seconds() + 20 }), 'alice'],
    ['expired', () => ({ exp: seconds() - 31 }), '401 / 105'],
    ['never expiring', () => ({ exp: undefined }), '401 / 105'],
    ['expiry as text', () => ({ exp: String(seconds() + 100) }), '401 / 105'],
    ['not yet valid', () => ({ nbf: seconds() + 60 }), '401 / 105'],
    ['issued in the future', () => ({ iat: seconds() + 60 }), '401 / 105'],
    ['other issuer', () => ({ iss: 'https://evil.test' }), '401 / 105'],
    ['issuer with something after it', () => ({ iss: `${provider.issuer}.evil.test` }), '401 / 105'],
    ['no issuer', () => ({ iss: undefined }), '401 / 105'],
    ['other audience', () => ({ aud: 'other' }), '401 / 105'],
    ['audience that contains ours', () => ({ aud: 'reading-list-2' }), '401 / 105'],
    ['no audience', () => ({ aud: undefined }), '401 / 105'],
    ['no subject', () => ({ sub: undefined }), '401 / 105'],
    ['empty subject', () => ({ sub: '' }), '401 / 105'],
    ['subject as a number', () => ({ sub: 7 }), '401 / 105'],
    ['bound to a key of its owner', () => ({ cnf: { jkt: 'x' } }), '401 / 105'],
    ['no scope', () => ({ scope: undefined }), '403 / 121'],
    ['empty scope', () => ({ scope: '' }), '403 / 121'],
    ['other scope', () => ({ scope: 'reading list' }), '403 / 121'],
    ['expired and without scope', () => ({ exp: 1, scope: undefined }), '401 / 105'],
  ])('%s', async (_, claims, outcome) => {
    expect(await verification.outcome(await provider.sign(claims()))).toBe(outcome);
  });
});

describe('the header of a signed token decides:', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['at+jwt', {}, 'alice'],
    ['application/at+jwt', { typ: 'application/at+jwt' }, 'alice'],
    ['AT+JWT', { typ: 'AT+JWT' }, 'alice'],
    ['no key id', { kid: undefined }, 'alice'],
    ['no type', { typ: undefined }, 'alice'],
    ['JWT', { typ: 'JWT' }, 'alice'],
    ['jwt', { typ: 'jwt' }, 'alice'],
    ['a logout token', { typ: 'logout+jwt' }, '401 / 105'],
    ['something that begins alike', { typ: 'at+jwt2' }, '401 / 105'],
    ['another media type', { typ: 'application/jwt' }, '401 / 105'],
    ['an empty type', { typ: '' }, '401 / 105'],
    ['unknown key id', { kid: 'second' }, '401 / 105'],
    ['a critical extension', { crit: ['exp2'], exp2: 1 }, '401 / 105'],
  ])('%s', async (_, header, outcome) => {
    const token = header.crit ? await signWithExtension() : await provider.sign({}, header);
    expect(await verification.outcome(token)).toBe(outcome);
  });

  /** jose itself does not sign what it does not know. */
  const signWithExtension = async () => {
    const [, payload, signature] = (await provider.sign()).split('.');
    return [encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt', crit: ['exp2'], exp2: 1 }), payload, signature].join(
      '.',
    );
  };

  it('several scopes are all required when the setting has several', async () => {
    verification = new Verification(provider.issuer, { OAUTH_SCOPE: 'readinglist sync' });
    expect(await verification.outcome(await provider.sign())).toBe('403 / 121');
    expect(await verification.outcome(await provider.sign({ scope: 'sync x readinglist' }))).toBe('alice');
  });
});

describe('a signature is refused when', () => {
  it('it is of a key of the same name that the provider does not have', async () => {
    expect(await verification.outcome(await provider.sign({}, {}, await signingKey('first')))).toBe('401 / 105');
  });

  it.each(['HS256', 'HS384', 'HS512'])('it is an %s made with the public key', async (alg) => {
    const publicKey = await importJWK(provider.key.jwk, 'ES256', { extractable: true });
    const pem = await exportSPKI(publicKey as CryptoKey);
    const secrets = [pem, pem.trim(), JSON.stringify(provider.key.jwk), provider.key.jwk.x!];
    const claims = {
      iss: provider.issuer,
      aud: 'reading-list',
      sub: 'mallory',
      exp: seconds() + 60,
      scope: 'readinglist',
    };
    for (const secret of secrets) {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg, kid: 'first', typ: 'at+jwt' })
        .sign(createSecretKey(Buffer.from(secret.padEnd(64))));
      expect(await verification.outcome(token)).toBe('401 / 105');
    }
  });

  it('the provider publishes a secret key by mistake', async () => {
    const secret = Buffer.alloc(32, 7);
    provider.answers.set('/jwks', { json: { keys: [{ kty: 'oct', kid: 'o', k: secret.toString('base64url') }] } });
    const token = await new SignJWT({ iss: provider.issuer, aud: 'reading-list', sub: 'm', exp: seconds() + 60 })
      .setProtectedHeader({ alg: 'HS256', kid: 'o', typ: 'at+jwt' })
      .sign(createSecretKey(secret));
    expect(await verification.outcome(token)).toBe('401 / 105');
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('there is none and the algorithm is %s', async (alg) => {
    const [, payload, signature] = (await provider.sign()).split('.');
    const header = encode({ alg, kid: 'first', typ: 'at+jwt' });
    expect(await verification.outcome(`${header}.${payload}.`)).toBe('401 / 105');
    expect(await verification.outcome(`${header}.${payload}.${signature}`)).toBe('401 / 105');
  });

  it('the token brings its own key', async () => {
    const own = await signingKey('own');
    const header = { kid: undefined, jwk: own.jwk, jku: `${provider.issuer}/own`, x5u: `${provider.issuer}/own` };
    expect(await verification.outcome(await provider.sign({}, header, own))).toBe('401 / 105');
    expect(provider.countOf('/own')).toBe(0);
  });
});

it('every key of a provider is tried when the token names none', async () => {
  const second = await signingKey('second');
  provider.answers.set('/jwks', { json: { keys: [provider.key.jwk, second.jwk] } });
  expect(await verification.outcome(await provider.sign({}, { kid: undefined }, second))).toBe('alice');
  expect(await verification.outcome(await provider.sign({ scope: 'x' }, { kid: undefined }, second))).toBe('403 / 121');
  expect(await verification.outcome(await provider.sign({}, { kid: undefined }, await signingKey('third')))).toBe(
    '401 / 105',
  );
});

it.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('%s signatures are good as well', async (alg) => {
  const key = await signingKey('other', alg);
  provider.answers.set('/jwks', { json: { keys: [key.jwk] } });
  expect(await verification.outcome(await provider.sign({}, {}, key))).toBe('alice');
});

describe('a text that no bearer token can be is refused without a call:', () => {
  it.each(['', ' ', 'a b', 'a\tb', 'a\r\nb', 'a\u0000b', 'tökén', 'a,b', 'a=b', '"a"', 'x'.repeat(8193)])(
    '%j',
    async (token) => {
      expect(await verification.outcome(token)).toBe('401 / 105');
      expect(provider.calls).toEqual([]);
    },
  );
});

it('no token of any content is an internal error', async () => {
  const part = fc.oneof(
    fc.string(),
    fc.json().map(encodeText),
    fc.constantFrom('', 'e30', encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt' })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      expect(await verification.outcome(parts.join('.'))).toBe('401 / 105');
    }),
    { numRuns: 300 },
  );
});

const encodeText = (text: string) => Buffer.from(text).toString('base64url');
