import { createApp } from '../../app.factory.js';
import { readSettings } from '../../config/settings.js';
import { applySettings } from '../apply-settings.js';
import { buildOpenApiDocument } from './open-api-document.js';

/** The text of `openapi.json`: the document of a service with default settings. */
export async function generateOpenApi(): Promise<string> {
  const settings = readSettings({ DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' });
  const { nest } = await createApp(settings);
  const { uri } = settings.oauth;
  const login = { authorizationUrl: `${uri}/auth`, tokenUrl: `${uri}/token` };
  const document = applySettings(buildOpenApiDocument(nest), settings, login);
  await nest.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}
