import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlProblem } from '../../src/protocol/field-values.js';

describe('an article can be at', () => {
  it.each([
    'http://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.com/Path?Query=1#Fragment',
    'https://example.com:8443/a',
    'https://user:password@example.com/a',
    'https://user@example.com',
    'https://a:b@c@example.com/',
    'https://[2001:db8::1]/a',
    'https://[::1]:8080',
    'https://münchen.example/straße?q=ä#ö',
    'https://例え.テスト/パス',
    'https://example.com/😀',
    'https://example.com?no=path',
    'https://example.com#fragment',
    'https://example.com/%zz',
    'https://example.com/a|b"c<d>{e}',
    'https://example.com/\\back\\slash',
    'ftp://example.com/file',
    'gopher://example.com',
    'moz-extension://0f1e/index.html',
    'app+x.y-z://host/path',
    'file://server/share',
    'http://localhost',
    'http://localhost:',
    'http://[::ffff:192.0.2.1]:80/',
    'http://[fe80::1%25eth0]:8080/',
    'http://[v1.fe80::a+en1]/',
    'http://user:[pass]@example.com/[1]:a?[2]',
    'http://127.0.0.1/',
    'http://a',
    'x://y',
  ])('%s', (url) => {
    expect(urlProblem(url)).toBeUndefined();
  });

  it('an address of 2048 code points', () => {
    const prefix = 'https://example.com/';
    expect(urlProblem(prefix + '😀'.repeat(2048 - prefix.length))).toBeUndefined();
  });
});

describe('no article is at', () => {
  const notAbsolute = 'not an absolute URL with a host';
  const noHost = 'a URL without a host';
  const invalidHost = 'a URL with an invalid host or port';
  const blank = 'white space or control character in a URL';
  it.each([
    ['', notAbsolute],
    ['example', notAbsolute],
    ['www.example.com', notAbsolute],
    ['example.com/path', notAbsolute],
    ['//example.com/x', notAbsolute],
    ['/path', notAbsolute],
    ['?query', notAbsolute],
    ['#fragment', notAbsolute],
    ['http:example.com', notAbsolute],
    ['http:/example.com', notAbsolute],
    ['://example.com', notAbsolute],
    ['1http://example.com', notAbsolute],
    ['ht_tp://example.com', notAbsolute],
    ['hétp://example.com', notAbsolute],
    ['javascript:alert(1)', notAbsolute],
    ['javascript://example.com/%0aalert(1)', notAbsolute],
    ['JavaScript://example.com/', notAbsolute],
    ['vbscript://x/', notAbsolute],
    ['data:text/html,x', notAbsolute],
    ['data://example.com/x', notAbsolute],
    ['mailto:me@example.com', notAbsolute],
    ['about:blank', notAbsolute],
    ['blob:https://example.com/1', notAbsolute],
    ['file:///x', noHost],
    ['http://', noHost],
    ['http:///x', noHost],
    ['http://?q', noHost],
    ['http://#f', noHost],
    ['http://:80', noHost],
    ['http://:80/x', noHost],
    ['http://user@/x', noHost],
    ['http://user:password@:80/x', noHost],
    ['http://\\x', noHost],
    ['http://[', invalidHost],
    ['http://[/', invalidHost],
    ['http://]/', invalidHost],
    ['http://[]/', invalidHost],
    ['http://[::1/', invalidHost],
    ['http://[a]/', invalidHost],
    ['http://[::1%]/', invalidHost],
    ['http://[v.a]/', invalidHost],
    ['http://[v1.]/', invalidHost],
    ['http://[::1]x/', invalidHost],
    ['http://[example.com]/', invalidHost],
    ['http://[::1]:a/', invalidHost],
    ['http://::1/', invalidHost],
    ['http://host:abc/', invalidHost],
    ['http://host:80:90/', invalidHost],
    ['http://host:-1/', invalidHost],
    ['http://user:password@host:abc', invalidHost],
    ['http://exam ple.com/', blank],
    ['http://example.com/a b', blank],
    ['http://example.com/a\tb', blank],
    ['http://example.com/a\nb', blank],
    ['http://example.com/\u0000', blank],
    ['http://example.com/\u001f', blank],
    ['http://example.com/\u007f', blank],
    ['http://example.com/\u0085', blank],
    ['http://example.com/\u00a0', blank],
    ['http://example.com/\u2028', blank],
    ['http://example.com/\u3000', blank],
    ['http://example.com/\ufeff', blank],
  ])('%j', (url, problem) => {
    expect(urlProblem(url)).toBe(problem);
  });

  it('an address of 2049 code points', () => {
    expect(urlProblem(`https://example.com/${'a'.repeat(2029)}`)).toBe('longer than 2048 characters');
  });
});

it('judges any text', () => {
  const hostile = fc.constantFrom('http://', ':', '/', '@', '[', ']', '#', '?', '\\', 'a', '.', '%', '😀');
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 2000 }), (parts) => {
      const problem = urlProblem(parts.join(''));
      expect(['string', 'undefined']).toContain(typeof problem);
    }),
  );
});
