import { describe, expect, it } from 'vitest';
import { readServerUrl } from '../../src/config/database-url.js';

const PLAIN = { host: 'db', port: 3306, user: '', password: '', database: 'list', socket: undefined, tls: undefined };
const TLS = { ca: undefined, cert: undefined, key: undefined, verifiesAuthority: true, verifiesHost: true };

describe('the URL of a database server', () => {
  it.each([
    ['mysql://db/list', {}],
    ['mysql://db:3307/list', { port: 3307 }],
    ['mysql://db./list', { host: 'db.' }],
    ['mysql://me@db/list', { user: 'me' }],
    ['mysql://me:@db/list', { user: 'me' }],
    ['mysql://me:a%40b%2Fc%25:d@db:3306/list', { user: 'me', password: 'a@b/c%:d' }],
    ['mysql://me%3A1:a@b@db/list', { user: 'me:1', password: 'a@b' }],
    ['mysql://me:pass@[::1]:3307/list', { user: 'me', password: 'pass', host: '::1', port: 3307 }],
    ['mysql://[fe80::1%25eth0]/list', { host: 'fe80::1%eth0' }],
    ['mysql://db/My%20List.v2%2F%C3%BC', { database: 'My List.v2/ü' }],
    ['mysql://db/list?', {}],
    ['mysql://db/list?ssl-mode=DISABLED', {}],
    ['mysql://db/list?ssl-mode=DISABLED&ssl-ca=/ca.pem', {}],
    ['mysql://db/list?SSL-Mode=required', { tls: { ...TLS, verifiesAuthority: false, verifiesHost: false } }],
    ['mysql://db/list?ssl-mode=VERIFY_CA&ssl-ca=/a%26b', { tls: { ...TLS, verifiesHost: false, ca: '/a&b' } }],
    [
      'mysql://db/list?ssl-key=/k@1&ssl-cert=/c+d&ssl-mode=VERIFY_IDENTITY',
      { tls: { ...TLS, cert: '/c+d', key: '/k@1' } },
    ],
    ['mysql:///list?socket=/run/my%20sql.sock', { host: '', socket: '/run/my sql.sock' }],
    ['mysql://me@localhost/list?socket=/s', { host: 'localhost', user: 'me', socket: '/s' }],
  ])('%s', (url, parts) => {
    expect(readServerUrl(url)).toEqual({ ...PLAIN, ...parts });
  });
});
