import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { resourceParameter } from '../auth/provider/client-authentication.js';
import type { Settings } from '../config/settings.js';
import { StaticFiles } from '../http/response/static-files.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The files of Swagger UI that its page needs. */
export const swaggerFiles = (): StaticFiles =>
  new StaticFiles(FOLDER, [
    'favicon-16x16.png',
    'favicon-32x32.png',
    'oauth2-redirect.html',
    'oauth2-redirect.js',
    'swagger-ui-bundle.js',
    'swagger-ui.css',
  ]);

/** Keeps compact what responses repeat, hides empty columns and single options, and lets wide content scroll. */
const SWAGGER_STYLE = `
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

/** The page of Swagger UI. Its relative URLs work with and without a trailing slash in its path. */
export function swaggerPage(title: string, path: string): string {
  const folder = path.endsWith('/') ? '.' : './docs';
  const head = `<link rel="icon" type="image/png" sizes="32x32" href="${folder}/favicon-32x32.png" />
    <link rel="icon" type="image/png" sizes="16x16" href="${folder}/favicon-16x16.png" />
    <link rel="stylesheet" href="${folder}/swagger-ui.css" />`;
  const body = `<div id="swagger-ui"></div>
    <script src="${folder}/swagger-ui-bundle.js"></script>
    <script src="${folder}/initializer.js"></script>`;
  return htmlPage(title, SWAGGER_STYLE, head, body);
}

/** The script that starts Swagger UI. In production the user has to enter the client id. */
export function swaggerInitializer(settings: Settings): string {
  const login = {
    // The public client for web pages at the development provider.
    clientId: settings.production ? '' : 'reading-list-browser',
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

/** An example of a body; those with an `errno` say what that error means, and what to do about it. */
export interface Example {
  summary: string;
  description?: string;
  value: { code?: number; errno?: number; error?: string; message?: string };
}

const ERRORS_STYLE = `
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      body { max-width: 42rem; margin: 0 auto; padding: 1rem; }
      section { padding: 0.1rem 1rem; border-radius: 0.5rem; border: 1px solid #8884; margin-block: 1rem; }
      section:target { border-color: currentColor; background: #fc03; }
      h2 { font-size: 1.2rem; }
      h2 a { color: inherit; text-decoration: none; }
      code { background: #8882; border-radius: 0.2rem; padding: 0.1rem 0.3rem; overflow-wrap: anywhere; }
    `;

/** The page that `info` in the bodies of errors leads to: one section for each number, with the number as its id. */
export function errorsPage(title: string, examples: readonly Example[]): string {
  const errors = examples.filter(({ description, value }) => description && value.errno);
  const errnos = [...new Set(errors.map(({ value }) => value.errno!))].sort((a, b) => a - b);
  const sections = errnos.map((errno) => {
    const same = errors.filter(({ value }) => value.errno === errno);
    return `<section id="${errno}"><h2><a href="#${errno}">errno ${errno}</a></h2>${same.map(describe).join('')}</section>`;
  });
  const head = '<link rel="icon" type="image/png" href="favicon-32x32.png" />';
  const body = `<h1>Errors</h1>
    <p>The body of every error has its number as <code>errno</code>, and says in <code>message</code> what is wrong in that case.</p>
    ${sections.join('\n    ')}`;
  return htmlPage(`Errors – ${title}`, ERRORS_STYLE, head, body);
}

const describe = ({ summary, description = '', value: { code, error, message } }: Example): string =>
  `<p><strong>${code} ${error}:</strong> ${toHtml(summary)}. ${toHtml(description)}</p>` +
  `<p>Example: <code>${escapeHtml(message!)}</code></p>`;

/** The texts of the contract are Markdown, but use only its code spans. */
const toHtml = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');

const htmlPage = (title: string, style: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${escapeHtml(title)}</title>
    ${head}
    <style>${style}</style>
  </head>
  <body>
    ${body}
  </body>
</html>
`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
