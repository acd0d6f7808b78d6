import { describe, expect, it } from 'vitest';
import {
  loginCookieName,
  loginCookieOptions,
  loginKey,
  openLogin,
  readLoginCookies,
  sealLogin,
  surplusLoginCookies,
} from '../../src/auth/login/login-cookie.js';

const NOW = 1_700_000_000_000;
const KEY = loginKey('a secret of the session');
const LOGIN = {
  state: 'S'.repeat(43),
  verifier: 'V'.repeat(43),
  redirect: 'https://app.example.com/#auth:',
  redirect_uri: 'https://list.example.com/v2/acct-oauth/token',
};

describe('a sealed login', () => {
  it('opens with the key of the same secret, in any process', async () => {
    const sealed = await sealLogin(LOGIN, KEY, NOW + 3_600_000);
    expect(await openLogin(sealed, loginKey('a secret of the session'), NOW)).toMatchObject(LOGIN);
  });

  it('shows nothing of its content', async () => {
    const sealed = await sealLogin(LOGIN, KEY, NOW + 3_600_000);
    const parts = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    for (const value of Object.values(LOGIN)) expect(sealed + parts.join()).not.toContain(value);
  });

  it('opens until it expires by the clock, and not from then on', async () => {
    const sealed = await sealLogin(LOGIN, KEY, NOW + 3_600_000);
    expect(await openLogin(sealed, KEY, NOW + 3_599_000)).toBeDefined();
    expect(await openLogin(sealed, KEY, NOW + 3_600_000)).toBeUndefined();
  });

  it('does not open with the key of another secret', async () => {
    const sealed = await sealLogin(LOGIN, KEY, NOW + 3_600_000);
    expect(await openLogin(sealed, loginKey('another secret'), NOW)).toBeUndefined();
  });

  it('does not open when any part of it was changed', async () => {
    const parts = (await sealLogin(LOGIN, KEY, NOW + 3_600_000)).split('.');
    for (const index of [0, 2, 3, 4]) {
      const part = parts[index]!;
      const changed = parts.with(index, (part.startsWith('A') ? 'B' : 'A') + part.slice(1)).join('.');
      expect(await openLogin(changed, KEY, NOW)).toBeUndefined();
    }
  });

  it.each(['', 'x', 'a.b.c.d.e', '....', 'eyJhbGciOiJub25lIn0..', 'null'])('is not %j', async (text) => {
    expect(await openLogin(text, KEY, NOW)).toBeUndefined();
  });

  it('is not a token of another content under the same key', async () => {
    const { EncryptJWT } = await import('jose');
    const other = await new EncryptJWT({ state: LOGIN.state })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(NOW / 1000 + 60)
      .encrypt(KEY);
    expect(await openLogin(other, KEY, NOW)).toBeUndefined();
  });

  it('fits into a cookie of a browser with the longest redirect', async () => {
    const redirect = `https://app.example.com/${'a'.repeat(1976)}`;
    expect((await sealLogin({ ...LOGIN, redirect }, KEY, NOW)).length).toBeLessThan(3800);
  });
});

describe('a login cookie', () => {
  it('is for this browser, this path and no script', () => {
    const options = loginCookieOptions('http://127.0.0.1:8000/v2/acct-oauth/token');
    expect(options).toEqual({ path: '/v2/acct-oauth', httpOnly: true, sameSite: 'lax', secure: false });
  });

  it('is Secure on https, under the path that browsers see', () => {
    const options = loginCookieOptions('https://example.com/list/v2/acct-oauth/token');
    expect(options).toMatchObject({ path: '/list/v2/acct-oauth', secure: true });
  });

  it('has a name of its own for each login', () => {
    expect(loginCookieName('a'.repeat(43))).not.toBe(loginCookieName('b'.repeat(43)));
  });

  it('is found among others, whatever they look like', () => {
    const name = loginCookieName('abcdefghij-_012345');
    const header = `a=b; ${name}=e.y.z; login-short=1; =; ;;x; __proto__=1; ${name}x=2`;
    expect([...readLoginCookies(header)]).toEqual([[name, 'e.y.z']]);
    expect(readLoginCookies(undefined).size).toBe(0);
  });

  it('goes when newer ones need the room, the oldest first', () => {
    const name = (index: number) => loginCookieName(`${index}`.padStart(16, '0'));
    const header = [1, 2, 3, 4].map((index) => `${name(index)}=${'x'.repeat(2000)}`).join('; ');
    expect(surplusLoginCookies(readLoginCookies(header), 3000)).toEqual([name(2), name(1)]);
    expect(surplusLoginCookies(readLoginCookies(header), 100)).toEqual([]);
  });

  it('goes with at most fifty at a time, the oldest', () => {
    const name = (index: number) => loginCookieName(`${index}`.padStart(16, '0'));
    const header = Array.from({ length: 2_500 }, (_, index) => `${name(index)}=`).join('; ');
    const oldest = Array.from({ length: 50 }, (_, index) => name(49 - index));
    expect(surplusLoginCookies(readLoginCookies(header), 100)).toEqual(oldest);
  });
});
