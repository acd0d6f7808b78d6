import { describe, expect, it } from 'vitest';
import {
  ApiError,
  type ErrorName,
  ERRORS,
  invalidParameter,
  invalidPostedData,
  quotaReached,
  modifiedMeanwhile,
  supportEnded,
} from '../../src/protocol/api-error.js';

describe('the error numbers', () => {
  it.each<[ErrorName, number, number]>([
    ['missingAuthorization', 401, 104],
    ['invalidAuthorization', 401, 105],
    ['malformedJson', 400, 106],
    ['invalidParameter', 400, 107],
    ['missingParameter', 400, 108],
    ['invalidPostedData', 400, 109],
    ['invalidId', 404, 110],
    ['notFound', 404, 111],
    ['lengthRequired', 411, 112],
    ['bodyTooLarge', 413, 113],
    ['modifiedMeanwhile', 412, 114],
    ['methodNotAllowed', 405, 115],
    ['tooManyRequests', 429, 117],
    ['forbidden', 403, 121],
    ['conflict', 409, 122],
    ['unavailable', 503, 201],
    ['deprecated', 410, 202],
    ['unexpected', 500, 999],
  ])('%s is %i with errno %i', (kind, status, errno) => {
    expect(new ApiError(kind, 'why')).toMatchObject({ status, errno, message: 'why' });
  });

  it.each(Object.entries(ERRORS))('%s has a text of its own', (_, { status, error }) => {
    expect(error).toMatch(/^[A-Z][A-Za-z ]+$/);
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('an error', () => {
  it('is 410 / 202 when support has ended', () => {
    expect(supportEnded()).toMatchObject({ status: 410, errno: 202 });
  });

  it('has a body of five members', () => {
    expect(new ApiError('conflict', 'resolved_url: taken').body('https://list.example.com/docs')).toEqual({
      code: 409,
      errno: 122,
      error: 'Conflict',
      message: 'resolved_url: taken',
      info: 'https://list.example.com/docs/errors#122',
    });
  });

  it.each([
    ['https://x.example/docs/', 'https://x.example/docs/errors#111'],
    ['https://x.example', 'https://x.example/errors#111'],
    ['https://x.example/docs?lang=en', 'https://x.example/docs/errors?lang=en#111'],
    ['https://x.example/docs/?a=/b/&c=$1#top', 'https://x.example/docs/errors?a=/b/&c=$1#111'],
    ['https://x.example/docs#top', 'https://x.example/docs/errors#111'],
  ])('refers below %s to %s', (documentation, info) => {
    expect(new ApiError('notFound', '').body(documentation).info).toBe(info);
  });

  it('carries no headers by default', () => {
    expect(new ApiError('conflict', '').headers).toEqual({});
  });

  it('names the parameter', () => {
    expect(invalidParameter('_limit', 'too small').body('')).toMatchObject({
      errno: 107,
      message: '_limit: too small',
    });
  });

  it('names the field of the body', () => {
    expect(invalidPostedData('url', 'too long').body('')).toMatchObject({ errno: 109, message: 'url: too long' });
  });

  it('tells the limit when there are as many articles as are allowed', () => {
    expect(quotaReached(3).body('')).toMatchObject({
      code: 403,
      errno: 121,
      message: 'The limit of 3 articles is reached; delete some first',
      max_articles: 3,
    });
  });

  it('tells the current timestamp when something was modified meanwhile', () => {
    const error = modifiedMeanwhile(42);
    expect(error).toMatchObject({ status: 412, errno: 114, headers: { 'Last-Modified': '42' } });
  });
});
