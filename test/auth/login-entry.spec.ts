import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../api/raw-http.js';
import { startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { requireCapabilities } from '../support/client.js';

let app: TestAppWithProvider;
let prefix: string;
beforeAll(async () => {
  app = await startAppWithProvider();
  requireCapabilities('oauth');
  prefix = `/v2/${app.providerName}-oauth`;
});
afterAll(() => app?.close());

const errorOf = ({ status, body }: { status: number; body: string }) => {
  const { code, errno } = JSON.parse(body) as { code: number; errno: number };
  expect(code).toBe(status);
  return [status, errno];
};

describe('the parameters of the login', () => {
  it('name the client, the provider and the scope', async () => {
    const { status, body } = await exchange(app.url, 'GET', `${prefix}/params`);
    expect(status).toBe(200);
    const { client_id, oauth_uri, scope } = JSON.parse(body) as Record<string, string>;
    expect([typeof client_id, typeof scope]).toEqual(['string', 'string']);
    expect(URL.canParse(oauth_uri!)).toBe(true);
  });

  it('can be read and nothing else', async () => {
    const answer = await exchange(app.url, 'DELETE', `${prefix}/params`);
    expect(errorOf(answer)).toEqual([405, 115]);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});

describe('the login', () => {
  it.each([
    ['no redirect', '', 400, 108],
    ['an empty redirect', '?redirect=', 400, 108],
    ['a relative redirect', '?redirect=/list', 400, 107],
    ['a domain that is not authorised', '?redirect=https://evil.test/', 400, 107],
    ['a script', '?redirect=javascript:alert(1)', 400, 107],
    ['user info', '?redirect=https://me:secret@localhost/', 400, 107],
  ])('refuses %s', async (_, query, status, errno) => {
    expect(errorOf(await exchange(app.url, 'GET', `${prefix}/login${query}`))).toEqual([status, errno]);
  });
});

describe('the way back from the provider', () => {
  it.each([
    ['nothing', '', 400, 108],
    ['no state', '?code=abc', 400, 108],
    ['a state of no browser', '?code=abc&state=abc', 401, 105],
    ["the provider's error", '?error=access_denied&state=abc', 400, 107],
  ])('refuses %s', async (_, query, status, errno) => {
    expect(errorOf(await exchange(app.url, 'GET', `${prefix}/token${query}`))).toEqual([status, errno]);
  });
});
