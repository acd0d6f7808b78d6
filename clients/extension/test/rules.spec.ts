import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LocalArticle, ReadingList } from '@reading-list/client';
import { describe, expect, it } from 'vitest';
import { basicAuthorization, hostPattern, serviceUrl } from '../src/options/service';
import { articleOf, pageUrl } from '../src/pages';
import { deviceOf } from '../src/preferences';

it.each([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  ['https://example.com/a#part', 'https://example.com/a'],
  ['https://example.com/#/inbox/7', 'https://example.com/#/inbox/7'],
  ['https://example.com/#!page', 'https://example.com/#!page'],
  ['https://user:secret@example.com/a', 'https://example.com/a'],
  ['about:blank', undefined],
  ['chrome://newtab/', undefined],
  ['file:///tmp/a.html', undefined],
  ['javascript:alert(1)', undefined],
  [undefined, undefined],
])('what is saved of %s is %s', (text, url) => expect(pageUrl(text)).toBe(url));

describe('the article of a page', () => {
  const article = (url: string, resolved_url = url) => ({ url, resolved_url }) as LocalArticle;
  const articles = [
    article('https://example.com/a'),
    article('https://short.example/x', 'https://www.example.com/long/'),
  ];
  const list = {
    get: ({ url }: { url: string }) => Promise.resolve(articles.find((one) => one.url === url)),
    list: () => Promise.resolve(articles),
  } as unknown as ReadingList;

  it.each([
    ['https://example.com/a', 0],
    ['http://www.example.com/a/?utm_source=feed', 0],
    ['https://example.com/long', 1],
    ['https://example.com/b', -1],
  ])('of %s is number %i', async (url, index) => expect(await articleOf(list, url)).toBe(articles[index]));
});

it.each([
  ['list.example.com', 'https://list.example.com'],
  [' https://list.example.com/ ', 'https://list.example.com'],
  ['https://list.example.com/app/', 'https://list.example.com'],
  ['https://list.example.com/list/v2', 'https://list.example.com/list'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['https://me@list.example.com', undefined],
  ['ftp://list.example.com', undefined],
  ['not an address', undefined],
  ['', undefined],
])('the service at "%s" is %s', (text, url) => expect(serviceUrl(text)).toBe(url));

it('the permission for a service names no port, which Firefox would not accept', () =>
  expect(hostPattern('http://127.0.0.1:8000/list')).toBe('http://127.0.0.1/*'));

it('a name and a password are sent in UTF-8', () =>
  expect(basicAuthorization('Zoë', 'ü')).toBe(`Basic ${Buffer.from('Zoë:ü').toString('base64')}`));

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Linux (extension)'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/150.0.0.0 Safari/537.36', 'Chrome on Mac (extension)'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/150.0.0.0 Safari/537.36 Edg/150.0', 'Edge on Windows (extension)'],
])('%s is %s', (agent, device) => expect(deviceOf(agent)).toBe(device));

describe('the manifest', () => {
  interface Manifest {
    permissions: string[];
    optional_host_permissions: string[];
  }
  const manifestOf = async (browser: string) => {
    const path = '../manifest.mjs';
    const { manifestFor } = (await import(path)) as { manifestFor: (browser: string, version: string) => Manifest };
    return manifestFor(browser, '2.0.0');
  };

  it.each(['chromium', 'firefox'])('asks for nothing but what is documented, in %s', async (browser) => {
    const manifest = await manifestOf(browser);
    expect(manifest).not.toHaveProperty('host_permissions');
    expect(manifest).not.toHaveProperty('content_scripts');
    expect(manifest.permissions).toEqual(['activeTab', 'storage', 'contextMenus', 'scripting', 'identity']);
    expect(manifest.optional_host_permissions).toEqual(['http://*/*', 'https://*/*']);
    const readme = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');
    for (const permission of manifest.permissions) expect(readme).toContain(`\`${permission}\``);
  });
});

it('every sentence is there in both languages, with the same values', () => {
  type Messages = Record<string, { message: string; placeholders?: object }>;
  const messages = ['en', 'de'].map(
    (language) =>
      JSON.parse(
        readFileSync(resolve(import.meta.dirname, `../public/_locales/${language}/messages.json`), 'utf8'),
      ) as Messages,
  );
  const shapes = messages.map((all) =>
    Object.entries(all).map(([name, { message, placeholders }]) => [name, message.includes('$VALUE$'), placeholders]),
  );
  expect(shapes[1]).toEqual(shapes[0]);
});
