import type { Settings } from '../config/settings.js';

/** What a service may be able to do, by the names under which the root mapping lists it. */
export const CAPABILITIES = ['basic', 'oauth', 'tokens', 'wait'] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** What is switched on: Basic credentials, the login and its tokens, personal tokens, waiting polls. */
export function capabilitiesOf(settings: Settings): Capability[] {
  const isOn: Record<Capability, boolean> = {
    basic: settings.basicAuthEnabled,
    oauth: settings.oauth.enabled,
    tokens: settings.tokensEnabled,
    wait: settings.waiting.maxSeconds > 0,
  };
  return CAPABILITIES.filter((name) => isOn[name]);
}

/** The limits that a device has to know, so that it asks instead of guessing. */
export const limitsOf = (settings: Settings) => ({
  page_size: settings.pageSize,
  batch_max_requests: settings.batchMaxRequests,
  max_body_bytes: settings.maxBodyBytes,
  wait_max_seconds: settings.waiting.maxSeconds,
  delete_collection: settings.deleteCollectionEnabled,
});
