import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client } from '../support/client.js';
import { exchange } from './raw-http.js';

const LAST_MOMENT = Date.parse('2031-03-31T23:59:59.999Z');
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ EOS_DATE: '2031-03-31', EOS_MESSAGE: 'Schluß ✓', EOS_URL: 'https://example.com/bye' });
});
afterAll(() => app.close());

describe('up to the last moment of the date', () => {
  beforeAll(() => app.setClock(LAST_MOMENT));

  it('articles are served, with a warning', async () => {
    const { headers } = await client(app.url).post('/articles').send(anArticle()).expect(201);
    expect(headers.alert).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(headers.alert!)).toEqual({
      code: 'soft-eol',
      message: 'Schluß ✓',
      url: 'https://example.com/bye',
    });
  });

  it.each(['/', '/v2', '/v2/'])('the date is at %s', async (path) => {
    const { body } = await exchange(app.url, 'GET', path);
    expect(JSON.parse(body).eos).toBe('2031-03-31');
  });
});

describe('from then on', () => {
  beforeAll(() => app.setClock(LAST_MOMENT + 1));

  it.each([
    ['GET', '/v2/articles'],
    ['HEAD', '/v2/articles'],
    ['POST', '/v2/articles'],
    ['DELETE', '/v2/articles'],
    ['GET', `/v2/articles/${UNKNOWN_ID}`],
    ['PATCH', `/v2/articles/${UNKNOWN_ID}`],
    ['DELETE', '/v2/articles/1'],
    ['GET', '/v2/articles?colour=red'],
    ['POST', '/v2/batch'],
    ['GET', '/v2/acct-oauth/params'],
    ['GET', '/v2/acct-oauth/login'],
    ['GET', '/v2/acct-oauth/token'],
    // Methods that the path lacks
    ['PUT', '/v2/articles'],
    ['POST', `/v2/articles/${UNKNOWN_ID}`],
    ['GET', '/v2/batch'],
    ['POST', '/v2/acct-oauth/login'],
  ])('%s %s answers 410 / 202, with credentials or without', async (method, path) => {
    for (const headers of [{}, { Authorization: client(app.url).authorization }]) {
      const answer = await exchange(app.url, method, path, headers as Record<string, string>);
      expect(answer.status).toBe(410);
      expect(JSON.parse(answer.headers.alert!)).toMatchObject({ code: 'hard-eol' });
      if (method !== 'HEAD') expect(JSON.parse(answer.body)).toMatchObject({ code: 410, errno: 202, error: 'Gone' });
    }
  });

  it.each([
    ['GET', '/', 307],
    ['GET', '/v2', 200],
    ['GET', '/v2/', 200],
    ['GET', '/__heartbeat__', 200],
    ['GET', '/v2/__heartbeat__', 200],
    ['GET', '/__lbheartbeat__', 200],
    ['GET', '/__version__', 200],
    ['GET', '/docs', 200],
    ['GET', '/v2/openapi.json', 200],
    ['GET', '/articles', 307],
    ['GET', '/v2/nothing', 404],
    ['GET', '/v2/articles/', 404],
    ['GET', '/v2/acct-oauth/nothing', 404],
    ['PUT', '/v2', 405],
    ['POST', '/__heartbeat__', 405],
    ['OPTIONS', '/v2/articles', 204],
    ['GET', '/v1/articles', 410],
  ])('%s %s goes on answering %i, with a warning', async (method, path, status) => {
    const answer = await exchange(app.url, method, path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.headers.alert!)).toMatchObject({ code: 'hard-eol' });
  });
});

describe('with a date only', () => {
  let past: TestApp;
  beforeAll(async () => {
    past = await startApp({ EOS_DATE: '2020-01-01' });
  });
  afterAll(() => past.close());

  it('in the past the service has ended, by the real clock', async () => {
    const { headers } = await client(past.url).get('/articles').expect(410);
    expect(headers.alert).toBe('{"code":"hard-eol"}');
    expect(JSON.parse((await exchange(past.url, 'GET', '/v2')).body)).toMatchObject({ eos: '2020-01-01' });
  });
});
