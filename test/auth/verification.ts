import { IdentityProvider } from '../../src/auth/provider/identity-provider.js';
import { ProviderTokens } from '../../src/auth/tokens/provider-tokens.js';
import { TokenVerifier } from '../../src/auth/tokens/token-verifier.js';
import { readSettings } from '../../src/config/load-settings.js';
import type { Settings } from '../../src/config/settings.js';
import type { ApiError } from '../../src/protocol/api-error.js';
import type { SharedRedis } from '../../src/redis/shared-redis.js';
import { type Answer, ScriptedProvider } from '../support/identity-provider.js';

/** How much time has passed, but for the clock on the wall, because a test wanted it to. */
let aheadMs = 0;
const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() + aheadMs;

/** Lets time pass for whatever measures it by `performance.now()`. */
export const passMonotonic = (ms: number): void => void (aheadMs += ms);

/** What Redis does for shared results. */
export interface Store {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
}

/**
 * A verifier for the provider at `issuer`, without personal tokens, which need a database. As much time passes for it as a test wants, and its time of day may be wrong
 * besides.
 */
export class Verification {
  readonly settings: Settings;
  readonly provider: IdentityProvider;
  readonly verifier: TokenVerifier;
  /** The one that all tokens come on. */
  private readonly connection = {};
  private aheadMs = 0;
  private wrongByMs = 0;

  constructor(issuer: string, variables: Record<string, string> = {}, store?: Store) {
    const clock = () => Date.now() + this.aheadMs + this.wrongByMs;
    const settings = readSettings({ OAUTH_URI: issuer, ...variables });
    this.settings = settings;
    this.provider = new IdentityProvider(settings);
    const redis = { client: store } as unknown as SharedRedis;
    const provided = new ProviderTokens(settings, clock, this.provider, redis);
    this.verifier = new TokenVerifier(settings, undefined as never, provided);
  }

  pass(ms: number): void {
    this.aheadMs += ms;
    passMonotonic(ms);
  }

  /** Sets the time of day wrong by as much, or right again with 0. */
  setWrongBy(ms: number): void {
    this.wrongByMs = ms;
  }

  /** Whose token it is, if the verifier knows it. */
  cached(token: string): string | undefined {
    return this.verifier.cached(token, this.connection)?.subject;
  }

  /** The user that a token identifies, as a request with it finds out. */
  async identify(token: string, address = '192.0.2.1') {
    return this.verifier.cached(token, this.connection) ?? (await this.verifier.verify(token, address));
  }

  /** What a request with the token would get: the subject, or status and errno. */
  async outcome(token: string, address?: string): Promise<string> {
    try {
      return (await this.identify(token, address)).subject;
    } catch (error) {
      const { status, errno } = error as ApiError;
      return `${status} / ${errno}`;
    }
  }

  /** The message of the error that a request with the token would get. */
  async reason(token: string): Promise<string> {
    return this.identify(token).then(
      () => '',
      (error: Error) => error.message,
    );
  }
}

/** A new provider, which responds to introspection as given, and a verifier that trusts it. */
export async function startVerification(introspection?: Answer, variables: Record<string, string> = {}) {
  const provider = await ScriptedProvider.start();
  if (introspection) provider.answers.set('/introspect', introspection);
  return { provider, verification: new Verification(provider.issuer, variables) };
}
