import type { Settings } from '../config/settings.js';

/** The names of capabilities in the root mapping. */
export const CAPABILITIES = ['basic', 'oauth', 'tokens', 'wait'] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** The enabled capabilities: Basic credentials, the login and its tokens, personal tokens, waiting polls. */
export function capabilitiesOf(settings: Settings): Capability[] {
  const isOn: Record<Capability, boolean> = {
    basic: settings.basicAuthEnabled,
    oauth: settings.oauthEnabled,
    tokens: settings.tokensEnabled,
    wait: settings.waitMaxSeconds > 0,
  };
  return CAPABILITIES.filter((name) => isOn[name]);
}

/** The limits that devices need to know. */
export const limitsOf = (settings: Settings) => ({
  page_size: settings.pageSize,
  batch_max_requests: settings.batchMaxRequests,
  max_body_bytes: settings.maxBodyBytes,
  wait_max_seconds: settings.waitMaxSeconds,
  delete_collection: settings.deleteCollectionEnabled,
});
