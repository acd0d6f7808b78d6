/** An HTML page of the documentation. All but the title is HTML or CSS. */
export const htmlPage = (page: {
  title: string;
  style: string;
  head?: string;
  body: string;
}): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${escapeHtml(page.title)}</title>
    ${page.head ?? ''}
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
