// Starts the development identity provider at http://127.0.0.1:9000 for the client of deploy/compose.yaml.
import { readFileSync } from 'node:fs';
import { startDevelopmentProvider } from '../dist/development/dev/provider.js';

const { CLIENT_SECRET_FILE, PORT = '9000' } = process.env;
const provider = await startDevelopmentProvider({
  port: Number(PORT),
  clientId: 'reading-list',
  clientSecret: readFileSync(CLIENT_SECRET_FILE, 'utf8').trim(),
  scope: 'readinglist',
  audience: 'reading-list',
});
console.log(`identity provider at ${provider.issuer}`);
process.once('SIGTERM', () => process.exit(0));
