import { BasicStrategy } from 'passport-http';
import { expect, it } from 'vitest';
import { readAuthorization } from '../../src/protocol/request-headers.js';

const headerOf = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** What the strategy of passport-http hands to `verify`, or the status with which it refuses. */
function passportHttp(credentials: string): unknown {
  let outcome: unknown;
  const strategy = new BasicStrategy((name: string, password: string, done) => {
    outcome = [name, password];
    done(null, {});
  });
  Object.assign(strategy, { success: () => undefined, fail: () => (outcome ??= 401) });
  strategy.authenticate({ headers: { authorization: headerOf(credentials) } } as never);
  return outcome;
}

// Why docs/adr/0004-passport-http.md does without it; when an upgrade mends this, these fail and it can be used.
it('passport-http cuts a password at its first colon: two users would share one list', () => {
  expect(passportHttp('me:left:right')).toEqual(['me', 'left']);
  expect(passportHttp('me:left:wrong')).toEqual(['me', 'left']);
});

it('passport-http refuses an empty password, and one that begins with a colon', () => {
  expect(passportHttp('me:')).toBe(401);
  expect(passportHttp('me::secret')).toBe(401);
});

it.each([
  ['me:left:right', 'left:right'],
  ['me:', ''],
  ['me::secret', ':secret'],
])('the service takes the whole password of %s', (credentials, password) => {
  expect(readAuthorization(headerOf(credentials))).toEqual({ scheme: 'basic', username: 'me', password });
});
