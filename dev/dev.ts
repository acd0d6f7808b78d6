import { loadSettings } from '../src/config/load-settings.js';
import { SettingError } from '../src/config/settings.js';
import { type Development, startDevelopment } from './development.js';

try {
  const development = await startDevelopment(loadSettings());
  greet(development);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void development.close().finally(() => process.exit(0)));
} catch (error) {
  console.error(error instanceof SettingError ? error.message : error);
  process.exit(1);
}

function greet({ provider, service }: Development): void {
  const requests = '{"requests":[{"method":"GET","path":"/articles"}]}';
  console.log(`listening on ${service}; documentation at ${service}/docs`);
  console.log(`identity provider at ${provider.issuer}; any name signs in`);
  console.log(`sign in with a browser: ${service}/app/`);
  console.log(`a bearer token: TOKEN=$(curl -s ${provider.issuer}/token-for/alice)`);
  console.log(`a batch with it: curl ${service}/v2/batch -H "Authorization: Bearer $TOKEN" --json '${requests}'`);
}
