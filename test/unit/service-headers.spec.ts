import { describe, expect, it } from 'vitest';
import { baseHeaders, statusHeaders } from '../../src/protocol/service-headers.js';
import { EVERYWHERE, ON_CREATION, ON_LISTING } from '../support/exposed-headers.js';

describe('the headers of every answer', () => {
  it('are these four', () => {
    expect(baseHeaders('PATCH', '/v2/articles/1')).toEqual({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EVERYWHERE,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  it.each([
    ['GET', '/v2/articles', ON_LISTING],
    ['HEAD', '/v2/articles', ON_LISTING],
    ['POST', '/v2/articles', ON_CREATION],
    ['DELETE', '/v2/articles', EVERYWHERE],
    ['OPTIONS', '/v2/articles', EVERYWHERE],
    ['PUT', '/v2/articles', EVERYWHERE],
    ['GET', '/v2/articles/1', EVERYWHERE],
    ['GET', '/articles', EVERYWHERE],
    ['GET', '/v2/articles/', EVERYWHERE],
    ['POST', '/v2/batch', EVERYWHERE],
    ['GET', '/', EVERYWHERE],
    ['', '', EVERYWHERE],
  ])('expose to scripts on %s %s: %s', (method, path, exposed) => {
    expect(baseHeaders(method, path)['Access-Control-Expose-Headers']).toBe(exposed);
  });
});

describe('the headers of a status', () => {
  const state = { backoffSeconds: 10, retryAfterSeconds: 20, alert: '{"code":"soft-eol"}' };
  const Alert = state.alert;

  it.each([
    [100, { Alert }],
    [199, { Alert }],
    [200, { Alert, Backoff: '10' }],
    [201, { Alert, Backoff: '10' }],
    [204, { Alert, Backoff: '10' }],
    [304, { Alert, Backoff: '10' }],
    [307, { Alert, Backoff: '10' }],
    [399, { Alert, Backoff: '10' }],
    [400, { Alert }],
    [401, { Alert }],
    [404, { Alert }],
    [412, { Alert }],
    [428, { Alert }],
    [429, { Alert, 'Retry-After': '20' }],
    [430, { Alert }],
    [499, { Alert }],
    [500, { Alert, 'Retry-After': '20' }],
    [503, { Alert, 'Retry-After': '20' }],
  ])('%i are %j under load and with an end in sight', (status, headers) => {
    expect(statusHeaders(status, state)).toEqual(headers);
  });

  it.each([
    [200, {}],
    [304, {}],
    [404, {}],
    [429, { 'Retry-After': '20' }],
    [503, { 'Retry-After': '20' }],
  ])('%i are %j otherwise', (status, headers) => {
    expect(statusHeaders(status, { retryAfterSeconds: 20 })).toEqual(headers);
  });
});
