import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/settings.js';
import { applySettings } from '../../src/docs/apply-settings.js';
import { type Json, operationsOf } from './document.js';

const login = { authorizationUrl: 'https://id.example.com/auth', tokenUrl: 'https://id.example.com/token' };

const documentFor = (variables: Record<string, string>): OpenAPIObject =>
  applySettings(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject, readSettings(variables), login);

const securityOf = (document: OpenAPIObject): Json[] =>
  operationsOf(document).flatMap(({ says }) => says.security as Json[]);

describe('the document of a service with', () => {
  it.each<[string, Record<string, string>, (document: OpenAPIObject) => unknown, unknown]>([
    ['a name', { SERVICE_NAME: 'my list' }, ({ info }) => info.title, 'my list'],
    ['no address', {}, ({ servers }) => servers, [{ url: '/' }]],
    ['an address', { PUBLIC_URL: 'https://l.example.com/x' }, (it) => it.servers, [{ url: 'https://l.example.com/x' }]],
    [
      'small batches',
      { BATCH_MAX_REQUESTS: '7' },
      ({ components }) => (components!.schemas!.Batch as Json).properties.requests.maxItems as unknown,
      7,
    ],
    [
      'a provider of another name',
      { OAUTH_PROVIDER_NAME: 'fxa' },
      ({ paths }) => Object.keys(paths).filter((path) => path.includes('-oauth/')),
      ['/v2/fxa-oauth/params', '/v2/fxa-oauth/login', '/v2/fxa-oauth/token'],
    ],
    [
      'the web application',
      {},
      ({ paths }) => Object.keys(paths['/']!.get!.responses),
      expect.arrayContaining(['302', '307']),
    ],
    [
      'no web application',
      { WEB_APP_ENABLED: 'false' },
      ({ paths }) => Object.keys(paths['/']!.get!.responses).filter((status) => status.startsWith('3')),
      ['307'],
    ],
    [
      'two scopes',
      { OAUTH_SCOPE: 'a b' },
      ({ components }) =>
        Object.keys((components!.securitySchemes!.oauth2 as Json).flows.authorizationCode.scopes as Json),
      ['a', 'b'],
    ],
    [
      'a provider that was asked for its endpoints',
      {},
      ({ components }) => (components!.securitySchemes!.oauth2 as Json).flows.authorizationCode as unknown,
      expect.objectContaining(login),
    ],
  ])('%s: %o', (_, variables, look, expected) => {
    expect(look(documentFor(variables))).toEqual(expected);
  });

  it('two scopes asks both of every token', () => {
    const asked = securityOf(documentFor({ OAUTH_SCOPE: 'a b' })).flatMap(({ oauth2 }) =>
      oauth2 ? [oauth2 as string[]] : [],
    );
    expect(new Set(asked.map(String))).toEqual(new Set(['a,b']));
  });

  it.each([true, false])('Basic authentication %s says so everywhere', (isEnabled) => {
    const document = documentFor({ BASIC_AUTH_ENABLED: String(isEnabled) });
    expect('basic' in document.components!.securitySchemes!).toBe(isEnabled);
    expect(securityOf(document).some((scheme) => 'basic' in scheme)).toBe(isEnabled);
  });

  it('the settings of the build is the document of the build', () => {
    const { uri } = readSettings({}).oauth;
    const built = { authorizationUrl: `${uri}/auth`, tokenUrl: `${uri}/token` };
    const text = readFileSync('openapi.json', 'utf8');
    expect(applySettings(JSON.parse(text) as OpenAPIObject, readSettings({}), built)).toEqual(JSON.parse(text));
  });
});
