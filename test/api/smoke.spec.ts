import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, requireNewUser } from '../support/client.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('walks through the life of an article', async () => {
  const device = client(app.url);
  requireNewUser(device);
  const created = await device
    .post('/articles')
    .send(anArticle({ title: ' pad ' }))
    .expect(201);
  expect(created.body).toMatchObject({ title: 'pad', unread: true, read_position: 0 });
  const again = await device.post('/articles').send(created.body).expect(200);
  expect(again.body).toEqual(created.body);
  const { id, last_modified } = created.body as { id: string; last_modified: number };
  const read = await device.get(`/articles/${id}`).expect(200);
  expect(read.body).toEqual(created.body);
  await device.get(`/articles/${id}`).set('If-Modified-Since', String(last_modified)).expect(304);
  const patched = await device
    .patch(`/articles/${id}`)
    .send({ unread: 'false', marked_read_by: 'x', read_position: '5' })
    .expect(200);
  expect(patched.body).toMatchObject({ unread: false, marked_read_by: 'x', read_position: 5 });
  expect(patched.body.last_modified).toBeGreaterThan(last_modified);
  const listed = await device.get(`/articles?_since=${last_modified}`).expect(200);
  expect(listed.body.items).toEqual([patched.body]);
  expect(listed.headers['total-records']).toBe('1');
  const other = await device.post('/articles').send(anArticle()).expect(201);
  const conflict = await device
    .patch(`/articles/${other.body.id}`)
    .send({ resolved_url: created.body.url })
    .expect(409);
  expect(conflict.body.message).toContain(id);
  const gone = await device.delete(`/articles/${id}`).expect(200);
  expect(gone.body).toEqual({ id, last_modified: gone.body.last_modified, deleted: true });
  await device.get(`/articles/${id}`).expect(404);
  const page = await device.get('/articles?_since=0&_limit=1').expect(200);
  expect(page.headers['total-records']).toBe('2');
  const next = new URL(page.headers['next-page']!);
  const second = await device.get(`/articles${next.search}`).expect(200);
  const walked = [...page.body.items, ...second.body.items] as { id: string }[];
  expect(walked.map((item) => item.id).sort()).toEqual([id, other.body.id].sort());
  await device.post('/articles').set('If-Unmodified-Since', '5').send(anArticle()).expect(412);
  const all = await device.delete('/articles').expect(200);
  expect(all.body.items).toHaveLength(1);
  expect((await device.head('/articles').expect(200)).headers['total-records']).toBe('0');
});
