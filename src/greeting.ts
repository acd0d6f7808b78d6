import { networkInterfaces } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
import { baseUrl } from './config/formats.js';
import type { Settings } from './config/settings.js';

const ARTICLE = '{"url":"https://example.com/","title":"Example","added_by":"laptop"}';

/** The lines that tell a newcomer what to do next, on this machine and on a phone. */
export function greeting(
  settings: Pick<Settings, 'host' | 'port' | 'webAppEnabled' | 'basicAuthEnabled'>,
  interfaces = networkInterfaces(),
): string[] {
  const { host, port, webAppEnabled, basicAuthEnabled } = settings;
  const isShared = host === '0.0.0.0' || host === '::';
  const base = baseUrl(isShared ? '127.0.0.1' : host, port);
  const lines = [
    ...(webAppEnabled ? [`the web application: ${base}/app/`] : []),
    `documentation: ${base}/docs`,
    basicAuthEnabled
      ? `try it: curl -u me:secret ${base}/v2/articles --json '${ARTICLE}'`
      : 'a token to sign in with: npm run commands -- token create me --name laptop',
  ];
  if (!isShared) return [...lines, 'for phones on the same network: npm start -- --lan'];
  const links = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => `${baseUrl(address, port)}${webAppEnabled ? '/app/' : '/docs'}`);
  if (links.length === 0) return [...lines, 'this machine has no address on a local network'];
  return [
    ...lines,
    `on a phone on the same network: ${links.join(' or ')}`,
    renderUnicodeCompact(links[0]!, { border: 2 }),
    (basicAuthEnabled ? 'Any name and password opens a list: for trying out only. ' : '') +
      'Offline use and installing need https: see docs/home.md.',
  ];
}
