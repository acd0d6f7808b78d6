import type { TestApp, TestAppWithProvider } from '../app.js';
import type { TestDatabase } from '../database.js';
import { type Deployment, NotHere, unmetSetting } from './deployment.js';
import { tokenOf } from './users.js';

/** The given deployment as the service of a test. Throws `NotHere` if the test needs another one. */
export function givenApp(deployment: Deployment, variables: Record<string, string>, database?: TestDatabase): TestApp {
  if (database) throw new NotHere('needs a database of its own');
  const unmet = unmetSetting(variables, deployment);
  if (unmet !== undefined) throw new NotHere(unmet);
  const app = {
    url: deployment.url,
    limits: {
      pageSize: deployment.settings.page_size,
      batchMaxRequests: deployment.settings.batch_max_requests,
      maxBodyBytes: deployment.settings.max_body_bytes,
    },
    providerName: deployment.provider,
    setClock: (now?: number) => {
      if (now !== undefined) throw new NotHere("needs to set the service's clock");
    },
    close: () => Promise.resolve(),
  };
  return new Proxy(app, { get: memberOf }) as unknown as TestApp;
}

/** The given deployment for tests with bearer tokens. */
export function givenAppWithTokens(deployment: Deployment, variables: Record<string, string>): TestAppWithProvider {
  if (deployment.tokens.length === 0) throw new NotHere('needs bearer tokens of test users');
  const app = givenApp(deployment, variables);
  const issue = (subject: string, wish?: object): Promise<string> => {
    if (wish) throw new NotHere('needs control over the identity provider');
    return Promise.resolve(tokenOf(deployment, `bearer ${subject}`));
  };
  return new Proxy<object>(
    { issue },
    {
      get: (own, name) => (name === 'issue' ? issue : (Reflect.get(app, name) as unknown)),
    },
  ) as TestAppWithProvider;
}

function memberOf(app: object, name: string | symbol): unknown {
  if (name in app || typeof name === 'symbol' || name === 'then') return Reflect.get(app, name);
  throw new NotHere(`needs the process of the service (${name})`);
}
