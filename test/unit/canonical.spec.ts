import { expect, it } from 'vitest';
import { canonicalOf, cleanAddress, duplicatesIn } from '../../web/src/list/canonical.js';

it.each([
  ['https://example.com/a?utm_source=x&utm_medium=y', 'https://example.com/a'],
  ['https://example.com/a?id=5&UTM_Source=x&b=%20c+d', 'https://example.com/a?id=5&b=%20c+d'],
  ['https://example.com/a?fbclid=1#part', 'https://example.com/a#part'],
  ['https://example.com/a?gclid=1&gbraid=2&wbraid=3&gad_source=4&srsltid=5&_gl=6', 'https://example.com/a'],
  ['https://example.com/a?msclkid=1&x=2', 'https://example.com/a?msclkid=1&x=2'.replace('msclkid=1&', '')],
  [
    'https://example.com/a?mc_cid=1&mc_eid=2&igshid=3&igsh=4&_hsenc=5&mkt_tok=6&yclid=7&twclid=8',
    'https://example.com/a',
  ],
  ['https://example.com/a?at_medium=RSS&at_campaign=KARANGA', 'https://example.com/a'],
  [
    'https://example.com/a?pk_campaign=1&mtm_kwd=2&hsa_acc=3&oly_enc_id=4&vero_id=5&elqTrackId=6&trk_sid=7&bsft_uid=8',
    'https://example.com/a',
  ],
  ...['pk_id', 'mtm_id', 'hsa_id', 'itm_id', 'oly_id', 'vero_code', 'trk_id', 'bsft_id', 'mbid', 'ncid', 'cmpid']
    .concat('elq', 'elqueue', 'wt.mc_other')
    .map((name): [string, string] => [`https://example.com/a?${name}=1`, `https://example.com/a?${name}=1`]),
  ['https://example.com/a#xtor=RSS-1', 'https://example.com/a'],
  ['https://example.com/ü?q=ä&utm_id=1', 'https://example.com/ü?q=ä'],
  ['https://example.com/a?', 'https://example.com/a?'],
  ['https://example.com/a?ref=x&source=y&id=gclid', 'https://example.com/a?ref=x&source=y&id=gclid'],
  [
    'https://example.com/a?redirect=https://b.example/?utm_source=x',
    'https://example.com/a?redirect=https://b.example/?utm_source=x',
  ],
  ['https://example.com/a#utm_source', 'https://example.com/a#utm_source'],
  ['https://example.com/a#:~:text=utm_source', 'https://example.com/a#:~:text=utm_source'],
  ['not an address', 'not an address'],
])('%j without tracking is %j', (url, clean) => {
  expect(cleanAddress(url)).toBe(clean);
});

it.each([
  ['http://www.example.com/a/', 'https://example.com/a'],
  ['https://EXAMPLE.com:443/a?b=1&a=2', 'https://example.com/a?a=2&b=1'],
  ['https://example.com/a?utm_source=x#:~:text=tea', 'https://example.com/a'],
  ['https://example.com/?', 'https://example.com'],
])('%j is most likely the page %j', (one, other) => {
  expect(canonicalOf(one)).toBe(canonicalOf(other));
});

it.each([
  ['https://example.com/a', 'https://example.com/A'],
  ['https://example.com/a?id=1', 'https://example.com/a?id=2'],
  ['https://example.com/a?pk_id=1', 'https://example.com/a?pk_id=2'],
  ['https://example.com/a#/one', 'https://example.com/a#/two'],
  ['https://example.com/a', 'ftp://example.com/a'],
])('%j is another page than %j', (one, other) => {
  expect(canonicalOf(one)).not.toBe(canonicalOf(other));
});

it('groups articles that are most likely the same page', () => {
  const [a, b, c] = [
    { url: 'https://example.com/a' },
    { url: 'https://example.com/b' },
    { url: 'https://example.com/a?fbclid=1' },
  ];
  expect(duplicatesIn([a, b, c])).toEqual([[a, c]]);
});
