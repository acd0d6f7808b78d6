import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import * as client from 'openid-client';
import { MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { QuietLog } from '../quiet-log.js';
import { PROVIDER_LIMIT_MS, withinLimit } from './bounded-fetch.js';
import {
  configure,
  type Endpoint,
  type Method,
  offeredMethods,
  refusalOf,
  refusesClient,
  textOf,
} from './client-authentication.js';
import { discover, type ProviderMetadata } from './provider-metadata.js';

/**
 * For what is read from the provider: after ten minutes it is read again in the background, and serves until that
 * succeeds.
 */
export const READ_NOW_AND_THEN = {
  max: 1,
  ttl: 600_000,
  ttlResolution: 0,
  allowStale: true,
  noDeleteOnFetchRejection: true,
} as const;

const PROBE_LIMIT_MS = 2500;
/** For how long heartbeats share the result of a probe. */
const PROBE_KEPT_MS = 2000;
/** How long a rejection counts if only another login can test it again. */
const REFUSAL_COUNTS_MS = 600_000;
/** How old metadata has to be for a failure at one of its endpoints to be a reason to read it again. */
const DISTRUST_MS = 1500;

/** What an operator has to check when the provider does not accept this service. */
export const CLIENT_REFUSED = 'the provider refuses OAUTH_CLIENT_ID / OAUTH_CLIENT_SECRET';

/** `refusesClient`: it is available but does not accept this service's id and secret. */
export type ProviderState = 'ready' | 'unavailable' | 'refusesClient';

/** The identity provider at `OAUTH_URI`; its metadata is read when first needed. */
@Injectable()
export class IdentityProvider {
  private readonly logger = new Logger('IdentityProvider');
  private readonly quietLog = new QuietLog('IdentityProvider');
  private readonly metadata: LRUCache<'metadata', ProviderMetadata>;
  private readonly probes: LRUCache<'probe', boolean>;
  /** The client authentication that the provider accepted last. */
  private accepted?: Method;
  /** When it rejected this service, by the monotonic clock; undefined once it accepts it. */
  private refusedAt?: number;

  constructor(
    private readonly settings: Settings,
    @Inject(MONOTONIC_CLOCK) private readonly clock: MonotonicClock,
  ) {
    const perf = { now: clock };
    const fetchMethod = () => this.discover(PROVIDER_LIMIT_MS);
    this.metadata = new LRUCache({ ...READ_NOW_AND_THEN, perf, fetchMethod });
    this.probes = new LRUCache({ max: 1, ttl: PROBE_KEPT_MS, ttlResolution: 0, perf, fetchMethod: () => this.probe() });
  }

  /** The provider's metadata. Throws 503 / 201 when it could never be read. */
  async discovered(): Promise<ProviderMetadata> {
    return (await this.metadata.fetch('metadata'))!;
  }

  /** Rereads the metadata in the background: one of its endpoints has failed and may have moved. */
  distrust(): void {
    if (this.metadata.getRemainingTTL('metadata') > READ_NOW_AND_THEN.ttl - DISTRUST_MS) return;
    void this.metadata.fetch('metadata', { forceRefresh: true }).catch(() => undefined);
  }

  /**
   * Makes a call as this service, with a client authentication that the provider offers, and logs what the provider
   * says to refuse it, without the secrets that were sent. Throws 503 / 201 when the provider does not accept this
   * service, and otherwise what openid-client throws.
   *
   * @param latest the provider's metadata, if it has just been read
   */
  async call<T>(
    endpoint: Endpoint,
    send: (configuration: client.Configuration) => Promise<T>,
    secrets: readonly string[],
    latest?: ProviderMetadata,
  ): Promise<T> {
    const metadata = latest ?? (await this.discovered());
    const offered = offeredMethods(metadata, endpoint);
    const methods = [...offered.filter((method) => method === this.accepted), ...offered];
    let failure: unknown;
    for (const method of new Set(methods)) {
      try {
        const result = await send(configure(metadata, this.settings, method));
        [this.accepted, this.refusedAt] = [method, undefined];
        return result;
      } catch (error) {
        failure = error;
        if (!refusesClient(refusalOf(error))) break;
      }
    }
    const refusal = refusalOf(failure);
    if (refusal.status !== undefined) {
      const text = textOf(refusal, [this.settings.oauthClientSecret, ...secrets]);
      this.quietLog.warn(`the identity provider refuses a request to its ${endpoint} endpoint: ${text}`);
    }
    if (refusesClient(refusal)) throw this.refusedClient();
    throw failure;
  }

  /** Whether the provider is available and accepts this service. Changes nothing, and resolves within 2.5 s. */
  async state(): Promise<ProviderState> {
    if (!(await this.probes.fetch('probe'))) return 'unavailable';
    const isRefused = this.refusedAt !== undefined && this.clock() - this.refusedAt < REFUSAL_COUNTS_MS;
    return isRefused ? 'refusesClient' : 'ready';
  }

  /** Without introspection there is no way to test the secret, so the outcome of the latest login counts. */
  private async probe(): Promise<boolean> {
    const check = async () => {
      const metadata = await this.discover(PROBE_LIMIT_MS);
      if (!metadata.introspection_endpoint) return;
      const introspect = (configuration: client.Configuration) => client.tokenIntrospection(configuration, 'heartbeat');
      await this.call('introspection', introspect, [], metadata).catch(() => undefined);
    };
    return withinLimit(check(), PROBE_LIMIT_MS).then(
      () => true,
      () => false,
    );
  }

  /** The provider has rejected this service: logs that once, and returns the 503 / 201. */
  private refusedClient(): ApiError {
    if (this.refusedAt === undefined) this.logger.error(CLIENT_REFUSED);
    this.refusedAt = this.clock();
    const error = new ApiError('unavailable', `Sign-in is not available: ${CLIENT_REFUSED}`);
    error.cause = new Error('invalid_client');
    return error;
  }

  private discover(limitMs: number): Promise<ProviderMetadata> {
    const { oauthUri, oauthClientId } = this.settings;
    return discover(oauthUri, oauthClientId, limitMs);
  }
}
