const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The development provider's login form: any name signs in, there is no password. */
export const loginPage = (clientId: string, problem = ''): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Development identity provider</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 15vh auto; padding: 0 1rem; }
      input, button { font: inherit; padding: 0.4rem 0.7rem; }
      [role='alert'] { color: #a00; }
    </style>
  </head>
  <body>
    <h1>Sign in</h1>
    <p><strong>${escapeHtml(clientId)}</strong> wants to know who you are. Any name will do; a new one is a new user.</p>
    <form method="post">
      <label>Name <input name="login" required autofocus autocomplete="username" maxlength="100" /></label>
      <button type="submit">Sign in</button>
    </form>
    <p role="alert">${escapeHtml(problem)}</p>
  </body>
</html>
`;
