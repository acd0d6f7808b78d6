/**
 * A service that is already there, given to the suites by `npm run test:e2e` (docs/testing.md). Nothing but its public
 * interface can be used: what a case needs beyond that is `NotHere`.
 */
export interface Deployment {
  /** Base address without `/v2` and without a trailing slash. */
  url: string;
  /** Begins every user name that is made up. */
  run: string;
  basic: boolean;
  tokens: readonly string[];
  maxRate: number;
  /** Malformed requests may be sent; a balancer in between would answer them itself. */
  hostile: boolean;
  settings: DeploymentSettings;
  capabilities: readonly string[];
  provider: string;
}

/** What the root mapping says of the deployment's settings. */
export interface DeploymentSettings {
  page_size: number;
  batch_max_requests: number;
  max_body_bytes: number;
  delete_collection: boolean;
}

/** A case can't run against this deployment; counted apart from failures, with this reason. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

let known: Deployment | undefined;

/** The given deployment; undefined where every file starts services of its own. */
export function givenDeployment(): Deployment | undefined {
  if (process.env.E2E_DEPLOYMENT === undefined) return undefined;
  return (known ??= JSON.parse(process.env.E2E_DEPLOYMENT) as Deployment);
}

/** Why a service with these settings is not the deployment, or undefined when it may well be. */
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
