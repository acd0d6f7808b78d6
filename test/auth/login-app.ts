import { startApp, type TestApp } from '../support/app.js';

/** A service that signs in at `issuer` and may return to https://app.example.com or any port of localhost. */
export const startLoginApp = (issuer: string, variables: Record<string, string> = {}): Promise<TestApp> =>
  startApp({ OAUTH_URI: issuer, OAUTH_REDIRECT_DOMAINS: 'app.example.com,localhost', ...variables });
