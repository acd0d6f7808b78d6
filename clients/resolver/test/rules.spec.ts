import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isPublic } from '../src/addresses.js';
import { Attempts } from '../src/attempts.js';
import { isAllowed, rulesFor } from '../src/robots-rules.js';
import { timeLimit } from '../src/time-limit.js';

describe('an address that may be connected to', () => {
  it.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:8.8.8.8'])(
    'is %s',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each([
    ['loopback', ['127.0.0.1', '127.255.0.1', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1']],
    ['link-local', ['169.254.0.1', 'fe80::1']],
    ['of metadata', ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16']],
    ['of a provider’s network', ['100.64.0.1', '100.127.255.255']],
    ['multicast', ['224.0.0.1', '239.255.255.250', 'ff02::1']],
    [
      'of no host',
      ['0.0.0.0', '0.1.2.3', '255.255.255.255', '240.0.0.1', '::', '192.0.2.1', '198.18.0.1', '2001:db8::1'],
    ],
    ['mapped', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:168.63.129.16']],
    [
      'translated',
      ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1', '::127.0.0.1', '::7f00:1', '::5efe:7f00:1'],
    ],
    ['outside of what is given out', ['::8:1', '1::1', '4000::1', '5f00::1', 'fec0::1']],
    ['nonsense', ['', 'localhost', '127.1', '1.2.3.4.5']],
  ])('is none that is %s', (_, addresses) => expect(addresses.filter(isPublic)).toEqual([]));
});

it('a page that fails is asked for again after 1 minute, 8, 64, …, and not more than six times', () => {
  let now = 0;
  const attempts = new Attempts(() => now);
  const waits: number[] = [];
  for (let n = 0; n < 6; n++) {
    attempts.note('a');
    const begun = now;
    while (!attempts.isDue('a') && now < begun + 1e10) now += 60_000;
    waits.push((now - begun) / 60_000);
  }
  expect(waits.slice(0, 5)).toEqual([1, 8, 64, 512, 4096]);
  expect(attempts.isDue('a')).toBe(false);
  expect(attempts.isDue('b')).toBe(true);
});

it('a dead page is remembered beside tens of thousands of others', () => {
  const attempts = new Attempts(() => 0);
  for (let n = 0; n < 50_000; n++) attempts.note(`${n}`);
  expect(attempts.isDue('0')).toBe(false);
});

it('a time limit fires although garbage was collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const timer = setInterval(collect, 10);
  const event = once(new EventEmitter(), 'never', { signal: timeLimit(200, new AbortController().signal) });
  const late = sleep(3_000, 'never fired', { ref: false });
  await expect(Promise.race([event, late])).rejects.toThrow('aborted');
  clearInterval(timer);
});

describe('a robots.txt', () => {
  const allows = (path: string, ...lines: string[]) => isAllowed(path, rulesFor('me', lines.join('\r\n')));

  it.each<[string, string, boolean, ...string[]]>([
    ['is for all', '/a', false, 'User-agent: *', 'Disallow: /'],
    ['is for this program alone', '/a', false, 'user-agent:me/1.0', 'disallow:/a'],
    ['is for others', '/a', true, 'User-agent: you', 'Disallow: /'],
    ['has a group of its own for it', '/a', true, 'User-agent: *', 'Disallow: /', 'User-agent: Me', 'Disallow:'],
    ['has one for several', '/a', false, 'User-agent: me', '# or', '', 'User-agent: you', 'Disallow: /'],
    ['begins another group', '/a', true, 'User-agent: me', 'Disallow: /b', 'User-agent: you', 'Disallow: /'],
    ['has two for it', '/a', false, 'User-agent: me', 'Disallow: /b', 'User-agent: me', 'Disallow: /a'],
    ['has rules of no group', '/a', true, 'Disallow: /', 'User-agent: *', 'Disallow: /b'],
    ['is not such a file', '/a', true, '<!doctype html>', 'Disallow'],
    ['allows a part', '/a/b', true, 'User-agent: *', 'Disallow: /a', 'Allow: /a/b # this'],
    ['allows and disallows the same', '/a', true, 'User-agent: *', 'Disallow: /a', 'Allow: /a', 'Disallow: /a'],
    ['is about another path', '/b', true, 'User-agent: *', 'Disallow: /a'],
    ['has a star', '/a/b/c', false, 'User-agent: *', 'Disallow: /*/c'],
    ['has stars', '/a/b/c', false, 'User-agent: *', 'Disallow: *b**'],
    ['has an end', '/a.html', false, 'User-agent: *', 'Disallow: /*.html$'],
    ['has an end elsewhere', '/a.html?b', true, 'User-agent: *', 'Disallow: /*.html$'],
    ['has an end alone', '/a', true, 'User-agent: *', 'Disallow: /$'],
    ['ends within what came before', '/ab', true, 'User-agent: *', 'Disallow: /ab*b$'],
    ['escapes otherwise', '/%C3%A9', false, 'User-agent: *', 'Disallow: /%c3%a9'],
    ['does not escape', '/%C3%A9', false, 'User-agent: *', 'Disallow: /é'],
  ])('%s', (_, path, isAllowed, ...lines) => expect(allows(path, ...lines)).toBe(isAllowed));

  it.each([
    ['of many names', ['User-agent: *\n'.repeat(18_000) + 'Allow:/\n'.repeat(31_000)]],
    ['of stars', ['User-agent: *', `Disallow: ${'*'.repeat(500_000)}`]],
    ['of parts that nearly match', ['User-agent: *', ...Array<string>(500).fill(`Disallow: *b${'a'.repeat(1_000)}`)]],
    ['of blanks', [' '.repeat(500_000), `User-agent${' '.repeat(500_000)}`]],
  ])('%s, as large as is read, takes less than a second', (_, lines) => {
    const begun = performance.now();
    expect(allows(`/${'a'.repeat(16_000)}`, ...lines)).toBe(!lines[1]?.endsWith('*'));
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
