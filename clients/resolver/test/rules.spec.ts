import { describe, expect, it } from 'vitest';
import { isPublic } from '../src/addresses.js';
import { Attempts } from '../src/attempts.js';

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
