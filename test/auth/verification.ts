import { IdentityProvider } from '../../src/auth/identity-provider.js';
import type { TokenStore } from '../../src/auth/shared-results.js';
import { TokenVerifier } from '../../src/auth/token-verifier.js';
import { readSettings, type Settings } from '../../src/config/settings.js';
import type { ApiError } from '../../src/protocol/api-error.js';

/** A verifier for the provider at `issuer`, whose clock runs ahead of the real one by as much as a test wants. */
export class Verification {
  readonly settings: Settings;
  readonly provider: IdentityProvider;
  readonly verifier: TokenVerifier;
  private readonly connection = {};
  private aheadMs = 0;

  constructor(issuer: string, variables: Record<string, string> = {}, store?: TokenStore) {
    const clock = () => Date.now() + this.aheadMs;
    this.settings = readSettings({ OAUTH_URI: issuer, ...variables });
    this.provider = new IdentityProvider(this.settings, clock);
    this.verifier = new TokenVerifier(this.provider, this.settings, clock, store);
  }

  pass(ms: number): void {
    this.aheadMs += ms;
  }

  /** Whom the verifier remembers, as it is asked for requests that come over one connection. */
  cached(token: string): string | undefined {
    return this.verifier.cached(token, this.connection)?.subject;
  }

  /** What a request with the token would get: the subject, or status and errno. */
  async outcome(token: string): Promise<string> {
    try {
      return (await this.verifier.verify(token)).subject;
    } catch (error) {
      const { status, errno } = error as ApiError;
      return `${status} / ${errno}`;
    }
  }
}
