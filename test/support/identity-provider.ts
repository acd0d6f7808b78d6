import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** What the scripted provider does with a request: respond, hang, or close the connection. */
export type Answer =
  { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | 'hang' | 'cut';

/** A request to the provider. */
export interface Call {
  path: string;
  authorization?: string;
  body: URLSearchParams;
}

/** A key pair with a publishable public key. */
export interface SigningKey {
  privateKey: CryptoKey;
  jwk: JWK;
  alg: string;
}

/** Creates a key pair with the given key id. */
export async function signingKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, alg };
}

/**
 * An identity provider whose every response a test controls, for what a real one never does. Initially it works:
 * discovery, one key, and an introspection that knows no tokens.
 */
export class ScriptedProvider {
  readonly calls: Call[] = [];
  readonly answers = new Map<string, Answer | ((call: Call) => Answer | Promise<Answer>)>();
  readonly issuer: string;

  private constructor(
    private readonly server: Server,
    readonly key: SigningKey,
  ) {
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.publish();
    this.answers.set('/jwks', { json: { keys: [key.jwk] } });
    this.answers.set('/introspect', { json: { active: false } });
  }

  static async start(): Promise<ScriptedProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new ScriptedProvider(server, await signingKey('first'));
    server.on('request', (request, response) => void provider.answer(request, response));
    return provider;
  }

  /** Sets the discovery document; undefined removes a member. */
  publish(changes: Record<string, unknown> = {}): void {
    const document = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      introspection_endpoint: `${this.issuer}/introspect`,
      jwks_uri: `${this.issuer}/jwks`,
      ...changes,
    };
    this.answers.set('/.well-known/openid-configuration', { json: document });
  }

  countOf(path: string): number {
    return this.calls.filter((call) => call.path === path).length;
  }

  /** A valid access token for `alice` with the given changes; undefined removes a claim. */
  async sign(
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    key = this.key,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const good = {
      iss: this.issuer,
      aud: 'reading-list',
      sub: 'alice',
      iat: now,
      exp: now + 600,
      scope: 'readinglist',
    };
    return new SignJWT({ ...good, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  }

  /** Closes the port; `reopen` brings the provider back at the same URL. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async reopen(): Promise<void> {
    this.server.listen(Number(new URL(this.issuer).port), '127.0.0.1');
    await once(this.server, 'listening');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.replace(/\?.*/, '');
    const body = new URLSearchParams(await text(request).catch(() => ''));
    const call = { path, authorization: request.headers.authorization, body };
    this.calls.push(call);
    const scripted = this.answers.get(path) ?? { status: 404, text: 'no such page' };
    const answer = typeof scripted === 'function' ? await scripted(call) : scripted;
    if (answer === 'hang') return;
    if (answer === 'cut') {
      response.destroy();
      return;
    }
    const type = answer.json === undefined ? 'text/html' : 'application/json';
    response.writeHead(answer.status ?? 200, { 'Content-Type': type, ...answer.headers });
    response.end(answer.json === undefined ? answer.text : JSON.stringify(answer.json));
  }
}
