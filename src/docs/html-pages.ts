import type { Example } from './open-api-description.js';

const STYLE = `
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
  return htmlPage({
    title: `Errors – ${title}`,
    style: STYLE,
    head: '<link rel="icon" type="image/png" href="favicon-32x32.png" />',
    body: `<h1>Errors</h1>
    <p>The body of every error has its number as <code>errno</code>, and says in <code>message</code> what is wrong in that case.</p>
    ${sections.join('\n    ')}`,
  });
}

const describe = ({ summary, description = '', value: { code, error, message } }: Example): string =>
  `<p><strong>${code} ${error}:</strong> ${toHtml(summary)}. ${toHtml(description)}</p>` +
  `<p>Example: <code>${escapeHtml(message!)}</code></p>`;

/** The texts of the contract are Markdown, but use only its code spans. */
const toHtml = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');

/** An HTML page of the documentation. All but the title is HTML or CSS. */
export const htmlPage = (page: Record<'title' | 'style' | 'head' | 'body', string>): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${escapeHtml(page.title)}</title>
    ${page.head}
    <style>${page.style}</style>
  </head>
  <body>
    ${page.body}
  </body>
</html>
`;

/** The text with the characters escaped that mean something in HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
