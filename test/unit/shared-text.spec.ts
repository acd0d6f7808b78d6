import { expect, it } from 'vitest';
import { findAddress, tidyTitle } from '../../web/src/ways/shared-text.js';

it.each<[text: string, url: string | undefined, title?: string]>([
  ['https://example.com/a', 'https://example.com/a'],
  ['Read this: https://example.com/a, now!', 'https://example.com/a', 'Read this, now!'],
  ['“Quoted” (see https://example.com/a).', 'https://example.com/a', '“Quoted” (see).'],
  ['HTTPS://EXAMPLE.COM/A', 'HTTPS://EXAMPLE.COM/A'],
  ['看这个（https://example.com/a）', 'https://example.com/a', '看这个'],
  ['看这个（https://example.com/a），不错。', 'https://example.com/a', '看这个，不错。'],
  ['「記事」https://example.com/a。', 'https://example.com/a', '「記事」。'],
  ['【速報】https://example.com/a！', 'https://example.com/a', '【速報】！'],
  ['https://example.com/a，很好看', 'https://example.com/a', '很好看'],
  ['《https://example.com/a》', 'https://example.com/a'],
  ['https://zh.wikipedia.org/wiki/茶', 'https://zh.wikipedia.org/wiki/茶'],
  ['看这个boingboing.net/x', 'https://boingboing.net/x', '看这个'],
  ['see <https://example.com/a>', 'https://example.com/a', 'see'],
  ['<a href="https://example.com/a">Tea</a>', 'https://example.com/a', 'Tea'],
  ['[How to make tea](https://example.com/a)', 'https://example.com/a', 'How to make tea'],
  ['Look: [Tea](<https://example.com/a> "More") here', 'https://example.com/a', 'Tea'],
  ['[Tea](https://en.wikipedia.org/wiki/Tea_(drink))', 'https://en.wikipedia.org/wiki/Tea_(drink)', 'Tea'],
  ['https://example.com/long…', 'https://example.com/long'],
  ['https://example.com/long...', 'https://example.com/long'],
  ['Tea – https://example.com/a …', 'https://example.com/a', 'Tea'],
  ['Tea\u200Bhttps://example.com/a\u200B', 'https://example.com/a', 'Tea'],
  ['\u200Fشاي https://example.com/a\u200F', 'https://example.com/a', 'شاي'],
  ['(https://example.com/A_(letter))', 'https://example.com/A_(letter)'],
  ['https://example.com/A_(letter)', 'https://example.com/A_(letter)'],
  ['(see https://example.com/a)', 'https://example.com/a', '(see)'],
  ['see (https://example.com/a?b=[1]&c=2).', 'https://example.com/a?b=[1]&c=2', 'see.'],
  ['„Tee“: „https://example.com/a“', 'https://example.com/a', '„Tee“'],
  ['**https://example.com/a**', 'https://example.com/a'],
  ['Tea | Example\nhttps://example.com/a\n', 'https://example.com/a', 'Tea | Example'],
  ['one https://example.com/1 two https://example.com/2', 'https://example.com/1', 'one two https://example.com/2'],
  ['https://user@example.com:8080/a?b=c#d', 'https://user@example.com:8080/a?b=c#d'],
  ['boingboing.net/x', 'https://boingboing.net/x'],
  ['Read boingboing.net/x, please', 'https://boingboing.net/x', 'Read, please'],
  ['boingboing.net', 'https://boingboing.net'],
  ['www.example.com', 'https://www.example.com'],
  ['www.example.com.', 'https://www.example.com'],
  ['münchen.example/x', 'https://münchen.example/x'],
  ['example.com:8080/a', 'https://example.com:8080/a'],
  [
    'https://en.wikipedia.org/wiki/Schrödinger’s_cat, a film',
    'https://en.wikipedia.org/wiki/Schrödinger’s_cat',
    'a film',
  ],
  ['‘https://example.com/a’ it is', 'https://example.com/a', 'it is'],
  ['看‘https://example.com/a’很好', 'https://example.com/a', '看 很好'],
  ['شاي، https://example.com/a، جيد', 'https://example.com/a', 'شاي، جيد'],
  ['https://example.com/a؟', 'https://example.com/a'],
  ['https://example.com/a।', 'https://example.com/a'],
  ['Write to me@example.com/x', undefined],
  ['See notes.txt of v2.0', undefined],
  ['and/or', undefined],
  ['ftp://example.com/a', undefined],
  ['http://', undefined],
  ['A thought without an address', undefined],
  ['', undefined],
])('%j has the address %j', (text, url, title = '') => {
  expect(findAddress(text)).toEqual(url === undefined ? undefined : { url, title });
});

it.each([
  ['看这个（', '看这个'],
  ['see <', 'see'],
  ['  Tea  -  ', 'Tea'],
  ['Tea ( )', 'Tea'],
  ['"Tea"', '"Tea"'],
  ['"Tea', 'Tea'],
  ['Tea (green)', 'Tea (green)'],
  ['What is tea?', 'What is tea?'],
  ['C++ and C#', 'C++ and C#'],
  ['… : …', ''],
  ['（）', ''],
])('the title %j is tidied to %j', (text, title) => {
  expect(tidyTitle(text)).toBe(title);
});

it.each([
  ')',
  '„',
  '“',
  '(',
  '[',
  '<',
  ' ,',
  ',',
  '. ',
  'a.',
  'a',
  '-',
  '((a',
  "'",
  '"a',
  '…',
  'http',
  'https://a)',
  '‚’',
])('a long text of %j is read in a moment, before and after an address', (part) => {
  const long = part.repeat(50_000);
  const begun = performance.now();
  for (const text of [long, `https://example.com/${long}`, `${long} https://example.com/a ${long}`]) findAddress(text);
  tidyTitle(long);
  tidyTitle(`a${long}b`);
  expect(performance.now() - begun).toBeLessThan(1_500);
});
