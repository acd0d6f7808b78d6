import { describe, expect, it } from 'vitest';
import { readRedirect, withToken } from '../../src/auth/login/login-parameters.js';
import type { ApiError } from '../../src/protocol/api-error.js';

const DOMAINS = [
  'app.example.com',
  '*.pages.example.org',
  'localhost:3000',
  '127.0.0.1',
  '[::1]:8080',
  'bücher.example',
];

const errnoOf = (redirect: unknown, domains: readonly string[] = DOMAINS): number | undefined => {
  try {
    readRedirect({ redirect }, domains);
  } catch (error) {
    return (error as ApiError).errno;
  }
};

describe('a redirect is accepted', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com/'],
    ['https://app.example.com/', 'https://app.example.com/'],
    ['http://app.example.com/a/b?c=d&e=http://evil.test#auth:', undefined],
    ['https://app.example.com:8443/any/port', undefined],
    ['https://APP.Example.COM/', 'https://app.example.com/'],
    ['HTTPS://app.example.com/', 'https://app.example.com/'],
    ['https://app.example.com:443/', 'https://app.example.com/'],
    ['http://app.example.com:80?x', 'http://app.example.com/?x'],
    ['https://a.pages.example.org/', undefined],
    ['https://a.b.pages.example.org/#', undefined],
    ['http://localhost:3000/#/list', undefined],
    ['http://127.0.0.1:9999/', undefined],
    ['http://[::1]:8080/', undefined],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://xn--bcher-kva.example/', undefined],
    ['https://app.example.com/ü?q=ö', 'https://app.example.com/%C3%BC?q=%C3%B6'],
    ['https://app.example.com/a@b', undefined],
    ['https://app.example.com/%5C%0D%0A', undefined],
    [`https://app.example.com/${'a'.repeat(1900)}`, undefined],
  ])('%s', (redirect, address = redirect) => {
    expect(readRedirect({ redirect }, DOMAINS).href).toBe(address);
  });
});

it('a redirect is accepted however often, when the engine has optimised what reads it', () => {
  for (let at = 0; at < 20_000; at++) expect(errnoOf('https://bücher.example/')).toBeUndefined();
});

describe('a redirect is refused with 400 / 107', () => {
  it.each([
    // other hosts
    'https://evil.test/',
    'https://evil.test/app.example.com',
    'https://evil.test/?https://app.example.com/',
    'https://evil.test#app.example.com',
    'https://app.example.com.evil.test/',
    'https://evilapp.example.com/',
    'https://example.com/',
    'https://x.app.example.com/',
    'https://app.example.com./',
    'https://app-example.com/',
    'https://app.example.co/',
    'https://pages.example.org/',
    'https://.pages.example.org/',
    'https://a..pages.example.org/',
    'https://evilpages.example.org/',
    'https://a.pages.example.org.evil.test/',
    // user info
    'https://app.example.com@evil.test/',
    'https://app.example.com:443@evil.test/',
    'https://user@app.example.com/',
    'https://user:password@app.example.com/',
    'https://@app.example.com/',
    'https://:@app.example.com/',
    'https://app.example.com%40evil.test/',
    // back-slashes
    'https://evil.test\\@app.example.com/',
    'https://app.example.com\\evil.test/',
    'https:\\\\app.example.com/',
    '\\\\app.example.com/',
    'https://evil.test\\.app.example.com/',
    'https://app.example.com/a\\b',
    // encoded hosts and look-alikes
    'https://app%2Eexample.com/',
    'https://evil.test%2F.pages.example.org/',
    'https://evil.test%23.pages.example.org/',
    'https://evil.test%00.pages.example.org/',
    'https://%61pp.example.com/',
    'https://app。example.com/',
    'https://ａpp.example.com/',
    'https://ⓐpp.example.com/',
    'https://аpp.example.com/',
    'https://app.exam\u00adple.com/',
    'https://evil.test／.pages.example.org/',
    'https://a\u200b.pages.example.org/',
    'http://loca\u017fhost:3000/',
    // addresses in odd clothes
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://127.0.0.1.evil.test/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:0:0:1]:8080/',
    // ports
    'http://localhost/',
    'http://localhost:3001/',
    'http://localhost:30000/',
    'http://localhost:3000@evil.test/',
    'http://localhost:/',
    'http://localhost:03000/',
    'http://localhost:99999/',
    'http://[::1]:8081/',
    // other schemes and no absolute URLs
    'javascript:alert(1)//app.example.com',
    'javascript://app.example.com/%0aalert(1)',
    'data:text/html,app.example.com',
    'ftp://app.example.com/',
    'ws://app.example.com/',
    'file://app.example.com/',
    'blob:https://app.example.com/1',
    'view-source:https://app.example.com/',
    'intent://app.example.com/#Intent;end',
    '//app.example.com/',
    '///app.example.com/',
    '/app.example.com',
    'app.example.com',
    'app.example.com:443',
    'https:app.example.com',
    'https:/app.example.com/',
    'https:///app.example.com/',
    'https://',
    'http://?app.example.com',
    'http://#app.example.com',
    '?redirect=https://app.example.com/',
    // control characters and blanks
    ' https://app.example.com/',
    'https://app.example.com/ ',
    '\thttps://app.example.com/',
    'ht\ntps://app.example.com/',
    'https://app.exa\tmple.com/',
    'https://app.example.com/\r\nSet-Cookie: a=b',
    'https://app.example.com/\u0000',
    'https://evil.test\u0000.pages.example.org/',
    'https://app.example.com/\u007f',
    'https://app.example.com/\u0085',
    'https://app.example.com/\u2028',
    'https://app.example.com\u3000.evil.test/',
    // too long for a cookie, or not one text
    `https://app.example.com/${'a'.repeat(2000)}`,
    ['https://app.example.com/', 'https://app.example.com/'],
    { href: 'https://app.example.com/' },
  ])('%j', (redirect) => {
    expect(errnoOf(redirect)).toBe(107);
  });

  it('whatever it is when no domain is authorised', () => {
    expect(errnoOf('http://localhost/', [])).toBe(107);
  });

  it.each(['*', '.', '*.*'])('when the only domain is the senseless %j', (domain) => {
    expect(errnoOf('https://app.example.com/', [domain])).toBe(107);
  });
});

it.each([undefined, ''])('a missing redirect is refused with 400 / 108: %j', (redirect) => {
  expect(errnoOf(redirect)).toBe(108);
});

describe('the token goes to the end of the fragment', () => {
  it.each([
    ['https://app.example.com/', 'https://app.example.com/#T'],
    ['https://app.example.com/?a=b', 'https://app.example.com/?a=b#T'],
    ['https://app.example.com/#', 'https://app.example.com/#T'],
    ['https://app.example.com/#auth:', 'https://app.example.com/#auth:T'],
    ['https://app.example.com/#/list?x=', 'https://app.example.com/#/list?x=T'],
  ])('of %s', (redirect, address) => {
    expect(withToken(readRedirect({ redirect }, DOMAINS).href, 'T')).toBe(address);
  });
});
