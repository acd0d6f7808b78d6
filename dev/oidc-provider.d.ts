// The part of oidc-provider that the development provider uses; the package has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Saved {
    save(ttlSeconds: number): Promise<string>;
  }
  interface Client {
    clientId: string;
    redirectUriAllowed(uri: string): boolean;
  }
  interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }
  interface AccessToken extends Saved {
    resourceServer?: unknown;
    destroy(): Promise<void>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): RequestListener;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, unknown> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    Client: { find(id: string): Promise<Client | undefined>; prototype: Client };
    Grant: new (properties: object) => Grant;
    AccessToken: { new (properties: object): AccessToken; find(token: string): Promise<AccessToken | undefined> };
    RefreshToken: { new (properties: object): Saved };
    ResourceServer: new (identifier: string, data: object) => unknown;
    IdToken: new (
      available: object,
      context: { client: Client },
    ) => {
      scope: string;
      set(claim: string, value: unknown): void;
      issue(options: { use: string }): Promise<string>;
    };
  }
  export interface InteractionContext {
    oidc: {
      client: Client;
      provider: Provider;
      session: { accountId: string };
    };
  }
}
