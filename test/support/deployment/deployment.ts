/**
 * A running service, given to the suites by `npm run test:e2e` (docs/testing.md). Only its public interface can be
 * used: cases that need more throw `NotHere`.
 */
export interface Deployment {
  /** The base URL without `/v2` and without a trailing slash. */
  url: string;
  /** The prefix of made-up user names. */
  run: string;
  basic: boolean;
  tokens: readonly string[];
  maxRate: number;
  /** Malformed requests may be sent; a load balancer in between would respond to them itself. */
  hostile: boolean;
  settings: DeploymentSettings;
  capabilities: readonly string[];
  provider: string;
}

/** The deployment's settings from the root mapping. */
export interface DeploymentSettings {
  page_size: number;
  batch_max_requests: number;
  max_body_bytes: number;
  delete_collection: boolean;
}

/** A case cannot run against this deployment; counted separately from failures, with this reason. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

let known: Deployment | undefined;

/** The given deployment; undefined if every file starts its own services. */
export function givenDeployment(): Deployment | undefined {
  if (process.env.E2E_DEPLOYMENT === undefined) return undefined;
  return (known ??= JSON.parse(process.env.E2E_DEPLOYMENT) as Deployment);
}

/** Why the deployment cannot have these settings; undefined if it can. */
export function unmetSetting(variables: Record<string, string>, deployment: Deployment): string | undefined {
  const { settings } = deployment;
  const told: Record<string, string> = {
    PAGE_SIZE: String(settings.page_size),
    BATCH_MAX_REQUESTS: String(settings.batch_max_requests),
    MAX_BODY_BYTES: String(settings.max_body_bytes),
    DELETE_COLLECTION_ENABLED: String(settings.delete_collection),
    BASIC_AUTH_ENABLED: String(deployment.capabilities.includes('basic')),
    PUBLIC_URL: deployment.url,
  };
  const name = Object.keys(variables).find((variable) => told[variable] !== variables[variable]);
  return name === undefined ? undefined : `needs a service with ${name}=${variables[name]}`;
}
