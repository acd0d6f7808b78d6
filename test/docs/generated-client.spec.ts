import createClient from 'openapi-fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { paths } from '../../clients/typescript/src/openapi.js';
import { startApp, type TestApp } from '../support/app.js';
import { basicAuthorization } from '../support/client.js';

// The types are generated from openapi.yaml as it stands: what a device's author writes has to compile, and to work.
let app: TestApp;
let client: ReturnType<typeof createClient<paths>>;

beforeAll(async () => {
  app = await startApp();
  client = createClient<paths>({
    baseUrl: app.url,
    headers: { Authorization: basicAuthorization('me') },
    // `comparisons` is of the style `form`, exploded: each of its properties is a parameter.
    querySerializer: { object: { style: 'form', explode: true } },
  });
});
afterAll(() => app.close());

const aPage = (name: string) => ({ url: `https://example.com/${name}`, title: name, added_by: 'laptop' });

it('creates an article of the three required fields', async () => {
  const { data, response } = await client.POST('/v2/articles', { body: aPage('tea') });
  expect([response.status, data?.unread, data?.resolved_url]).toEqual([201, true, 'https://example.com/tea']);
});

it('resets what can be reset with null', async () => {
  const made = await client.POST('/v2/articles', {
    body: { ...aPage('coffee'), resolved_url: 'https://example.com/other', excerpt: 'words' },
  });
  const patched = await client.PATCH('/v2/articles/{id}', {
    params: { path: { id: made.data!.id } },
    body: { resolved_url: null, excerpt: null },
  });
  expect(patched.data).toMatchObject({ resolved_url: 'https://example.com/coffee', excerpt: '' });
});

it('filters, compares and sorts by parameters of their own', async () => {
  const { data } = await client.POST('/v2/articles', { body: { ...aPage('cocoa'), word_count: 500 } });
  const { data: page, response } = await client.GET('/v2/articles', {
    params: { query: { unread: true, _sort: 'title', comparisons: { gt_word_count: 400, not_title: 'tea' } } },
  });
  expect(page!.items).toEqual([data]);
  expect(new URL(response.url).search).toBe('?unread=true&_sort=title&gt_word_count=400&not_title=tea');
});

it('takes the same timestamps that it is given', async () => {
  const { data } = await client.POST('/v2/articles', { body: aPage('milk') });
  const { data: page } = await client.GET('/v2/articles', { params: { query: { _since: data!.last_modified - 1 } } });
  expect(page!.items.map(({ id }) => id)).toEqual([data!.id]);
});
