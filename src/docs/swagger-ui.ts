import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { resourceParameter } from '../auth/provider/client-authentication.js';
import type { Settings } from '../config/settings.js';
import { StaticFiles } from '../http/response/static-files.js';
import { htmlPage } from './html-pages.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

export const assets = (): StaticFiles =>
  new StaticFiles(FOLDER, [
    'favicon-16x16.png',
    'favicon-32x32.png',
    'oauth2-redirect.html',
    'oauth2-redirect.js',
    'swagger-ui-bundle.js',
    'swagger-ui.css',
  ]);

/** Allows connections only to the page's own origin and those of the URLs; ignores a relative URL. */
export function pagePolicy(urls: readonly (string | undefined)[]): string {
  const origins = urls.flatMap((url) => (url !== undefined && URL.canParse(url) ? [new URL(url).origin] : []));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${[...new Set(origins)].join(' ')}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Keeps compact what responses repeat, hides empty columns and single options, and lets wide content scroll. */
const STYLE = `
      body { margin: 0; }
      .swagger-ui .headers-wrapper { max-height: 7rem; overflow: auto; }
      .swagger-ui .response-col_links { display: none; }
      .swagger-ui .response[data-code] > td { padding: 0 0 1rem; }
      .swagger-ui .response-controls > div:not(:has(option + option)) { display: none; }
      .swagger-ui .response[data-code]:not([data-code^='2']) {
        .response-col_description { display: block; max-height: 8rem; margin-bottom: 1rem; padding: 0; overflow: auto; }
        .headers-wrapper { max-height: none; }
      }
      @media (max-width: 640px) {
        #swagger-ui { overflow-x: hidden; }
        .swagger-ui .wrapper { padding: 0 8px; }
        .swagger-ui .opblock-summary-path { max-width: 60vw; word-break: break-all; }
        .swagger-ui .responses-inner, .swagger-ui .table-container { overflow-x: auto; padding: 8px; }
      }
    `;

/** The page. Its relative URLs work with and without a trailing slash in its path. */
export function page(title: string, path: string): string {
  const folder = path.endsWith('/') ? '.' : './docs';
  return htmlPage({
    title,
    style: STYLE,
    head: `<link rel="icon" type="image/png" sizes="32x32" href="${folder}/favicon-32x32.png" />
    <link rel="icon" type="image/png" sizes="16x16" href="${folder}/favicon-16x16.png" />
    <link rel="stylesheet" href="${folder}/swagger-ui.css" />`,
    body: `<div id="swagger-ui"></div>
    <script src="${folder}/swagger-ui-bundle.js"></script>
    <script src="${folder}/initializer.js"></script>`,
  });
}

/** The id of the public client for web pages at the development provider. */
const BROWSER_CLIENT_ID = 'reading-list-browser';

/** The script that starts Swagger UI. In production the user has to enter the client id. */
export function initializer(settings: Settings): string {
  const login = {
    clientId: settings.production ? '' : BROWSER_CLIENT_ID,
    scopes: settings.oauthScope.split(/\s+/),
    usePkceWithAuthorizationCodeGrant: true,
    additionalQueryStringParams: resourceParameter(settings),
  };
  return `const { src } = document.currentScript;
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
window.ui = SwaggerUIBundle({
  url: new URL('../v2/openapi.json', src).href,
  oauth2RedirectUrl: new URL('oauth2-redirect.html', src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
});
window.ui.initOAuth(${JSON.stringify(login)});
`;
}
