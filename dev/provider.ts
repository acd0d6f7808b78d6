import './quiet-provider.js';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JWK } from 'jose';
import Provider from 'oidc-provider';
import { loginPage } from './login-page.js';
import {
  complete,
  type CompleteOptions,
  newSigningKey,
  providerConfiguration,
  type ProviderOptions,
} from './provider-configuration.js';
import { issueToken, type TokenWish } from './provider-tokens.js';

/** A running provider, with what tests and the development script need besides signing in. */
export interface DevelopmentProvider {
  issuer: string;
  /** Issues a token for any subject without a login. */
  issue(subject: string, wish?: TokenWish): Promise<string>;
  /** Switches to a new signing key and stops publishing the old ones. */
  rotateKeys(): Promise<void>;
  /** Revokes an opaque token. */
  revoke(token: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an OpenID provider on 127.0.0.1 whose login accepts any name and whose clients may use any loopback URL. For
 * development and tests only. `GET /token-for/<name>` returns an access token as text.
 */
export async function startDevelopmentProvider(options: ProviderOptions = {}): Promise<DevelopmentProvider> {
  const complete_ = complete(options);
  const server = createServer();
  await listen(server, complete_.port);
  const running = new RunningProvider(server, complete_);
  await running.rotateKeys();
  server.on('request', (request, response) => void running.answer(request, response));
  return running;
}

class RunningProvider implements DevelopmentProvider {
  readonly issuer: string;
  private provider!: Provider;
  private listener!: RequestListener;
  private readonly cookieKey = randomBytes(32).toString('hex');

  constructor(
    private readonly server: Server,
    private readonly options: CompleteOptions,
  ) {
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async rotateKeys(): Promise<void> {
    this.use([await newSigningKey()]);
  }

  issue(subject: string, wish: TokenWish = {}): Promise<string> {
    return issueToken(this.provider, this.options, subject, wish);
  }

  async revoke(token: string): Promise<void> {
    await (await this.provider.AccessToken.find(token))?.destroy();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.issuer);
    // Drops the session cookie, so that one browser can be several users, in several tabs at once.
    request.headers.cookie = request.headers.cookie?.replace(/(^|; *)_session[^;]*/g, '');
    try {
      if (/^\/login\/[^/]+$/.test(pathname)) await this.signIn(request, response);
      else if (pathname.startsWith('/token-for/'))
        await this.answerToken(pathname.slice('/token-for/'.length), response);
      else void this.listener(request, response);
    } catch {
      response.writeHead(400).end('This login has expired; start again.\n');
    }
  }

  /** The token and nothing else, so that a program can use it as it is; its lifetime in seconds is a header. */
  private async answerToken(subject: string, response: ServerResponse): Promise<void> {
    const token = await this.issue(decodeURIComponent(subject) || 'alice');
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.setHeader('Cache-Control', `private, max-age=${this.options.tokenSeconds}`);
    response.end(token);
  }

  private async signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await this.provider.interactionDetails(request, response);
    const name = request.method === 'POST' ? new URLSearchParams(await text(request)).get('login')?.trim() : undefined;
    if (name) return this.provider.interactionFinished(request, response, { login: { accountId: name } });
    const page = loginPage(String(params.client_id), name === '' ? 'A name is needed.' : '');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }).end(page);
  }

  /** oidc-provider cannot change its keys, so a new instance takes over, with the same storage. */
  private use(keys: JWK[]): void {
    this.provider = new Provider(this.issuer, providerConfiguration(this.options, keys, this.cookieKey));
    this.provider.Client.prototype.redirectUriAllowed = isLoopback;
    this.listener = this.provider.callback();
  }
}

const isLoopback = (uri: string): boolean =>
  URL.canParse(uri) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(uri).hostname);

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
