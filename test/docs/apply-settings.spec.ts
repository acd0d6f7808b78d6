import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { applySettings } from '../../src/docs/docs.controller.js';
import { CONTRACT, type Document, type Json, operationsOf } from './document.js';

const login = { authorizationUrl: 'https://id.example.com/auth', tokenUrl: 'https://id.example.com/token' };

const documentFor = (variables: Record<string, string>): Document =>
  applySettings(CONTRACT, readSettings(variables), login);

const loginFlow = ({ components }: Document): Json =>
  (components.securitySchemes.oauth2.flows as Json).authorizationCode as Json;

describe('the document of a service with', () => {
  it.each<[string, Record<string, string>, (document: Document) => unknown, unknown]>([
    ['a name', { SERVICE_NAME: 'my list' }, ({ info }) => info.title, 'my list'],
    ['no public URL', {}, ({ servers }) => servers, [{ url: '/' }]],
    [
      'a public URL',
      { PUBLIC_URL: 'https://l.example.com/x' },
      (it) => it.servers,
      [{ url: 'https://l.example.com/x' }],
    ],
    [
      'a provider of another name',
      { OAUTH_PROVIDER_NAME: 'fxa' },
      ({ paths }) => Object.keys(paths).filter((path) => path.includes('-oauth/')),
      ['/v2/fxa-oauth/params', '/v2/fxa-oauth/login', '/v2/fxa-oauth/token'],
    ],
    ['two scopes', { OAUTH_SCOPE: 'a b' }, (it) => Object.keys(loginFlow(it).scopes as Json), ['a', 'b']],
    ['a provider that publishes its endpoints', {}, loginFlow, expect.objectContaining(login)],
  ])('%s: %o', (_, variables, look, expected) => {
    expect(look(documentFor(variables))).toEqual(expected);
  });

  it.each([true, false])('Basic authentication %s says so everywhere', (isEnabled) => {
    const document = documentFor({ BASIC_AUTH_ENABLED: String(isEnabled) });
    expect('basic' in document.components.securitySchemes).toBe(isEnabled);
    const schemes = operationsOf(document).flatMap(({ says }) => says.security as Json[]);
    expect(schemes.some((scheme) => 'basic' in scheme)).toBe(isEnabled);
  });

  it('default settings is openapi.yaml as it is', () => {
    const { oauthUri: uri } = readSettings({});
    const built = { authorizationUrl: `${uri}/auth`, tokenUrl: `${uri}/token` };
    expect(applySettings(CONTRACT, readSettings({}), built)).toEqual(JSON.parse(CONTRACT));
  });
});
