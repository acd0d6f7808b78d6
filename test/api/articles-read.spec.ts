import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client } from '../support/client.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('an article', () => {
  it('is read by its id', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    const read = await device.get(`/articles/${body.id}`).expect(200);
    expect(read.body).toEqual(body);
    expect(read.headers['last-modified']).toBe(String(body.last_modified));
    expect(read.headers).not.toHaveProperty('total-records');
  });

  it('is read by its id in upper case', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    const read = await device.get(`/articles/${String(body.id).toUpperCase()}`).expect(200);
    expect(read.body.id).toBe(body.id);
  });

  it('has the same headers without a body for HEAD', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    const read = await device.get(`/articles/${body.id}`).expect(200);
    const head = await device.head(`/articles/${body.id}`).expect(200);
    const { date: _, 'x-request-id': __, ...headers } = read.headers;
    expect(head.headers).toMatchObject(headers);
    expect(head.text).toBeUndefined();
  });

  it('is read whatever the query string and the body of the request', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    await device.get(`/articles/${body.id}?colour=red&_limit=x&%zz`).send('{not json').expect(200);
  });

  it('keeps its own timestamp when another one changes', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    await device.post('/articles').send(anArticle()).expect(201);
    const read = await device.get(`/articles/${body.id}`).expect(200);
    expect(read.headers['last-modified']).toBe(String(body.last_modified));
  });
});

describe.each(['get', 'head', 'patch', 'delete'] as const)('%s', (verb) => {
  it.each([
    '1',
    'x',
    'null',
    '%00',
    '11111111222243338444555555555555',
    '11111111-2222-4333-8444-55555555555',
    '11111111-2222-4333-8444-5555555555555',
    'g1111111-2222-4333-8444-555555555555',
    '%2e%2e%2f1',
    'batch',
    '%F0%9F%98%80',
    'a'.repeat(1000),
  ])('answers 404 / 110 for an id that is not a UUID: %s', async (id) => {
    const { body } = await client(app.url)[verb](`/articles/${id}`).expect(404);
    if (verb !== 'head') expect(body).toMatchObject({ code: 404, errno: 110, message: 'id: not a UUID' });
  });

  it('answers 404 / 111 for an unknown id', async () => {
    const { body } = await client(app.url)[verb](`/articles/${randomUUID()}`).expect(404);
    if (verb !== 'head') expect(body).toMatchObject({ code: 404, errno: 111, message: 'id: no such article' });
  });

  it('answers 404 / 111 for a deleted article', async () => {
    const device = client(app.url);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    await device.delete(`/articles/${article.id}`).expect(200);
    const { body } = await device[verb](`/articles/${article.id}`).expect(404);
    if (verb !== 'head') expect(body).toMatchObject({ code: 404, errno: 111, message: 'id: no such article' });
  });
});
