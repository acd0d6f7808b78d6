import { type INestApplication, Inject, Injectable } from '@nestjs/common';
import { withinLimit } from '../auth/bounded-fetch.js';
import { IdentityProvider } from '../auth/identity-provider.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { buildOpenApiDocument, type LoginEndpoints } from './open-api-document.js';

const PROVIDER_LIMIT_MS = 1000;

/** The OpenAPI document of the running service. */
@Injectable()
export class OpenApiDescription {
  private app?: INestApplication;
  private built?: { from: string; text: string };

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(IdentityProvider) private readonly provider: IdentityProvider,
  ) {}

  /** Names the application to describe. Nothing is built before the document is asked for. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** The document as JSON, built anew only when the provider's endpoints turn out to be others. */
  async json(): Promise<string> {
    const login = await this.loginEndpoints();
    const from = JSON.stringify(login);
    if (this.built?.from !== from)
      this.built = { from, text: JSON.stringify(buildOpenApiDocument(this.app!, this.settings, login)) };
    return this.built.text;
  }

  /** As the provider publishes them; while it is away, where the development provider, and many another, has them. */
  async loginEndpoints(): Promise<LoginEndpoints> {
    const { uri } = this.settings.oauth;
    const metadata = await withinLimit(this.provider.discovered(), PROVIDER_LIMIT_MS).then(
      (discovered) => discovered.metadata,
      () => undefined,
    );
    return {
      authorizationUrl: metadata?.authorization_endpoint ?? `${uri}/auth`,
      tokenUrl: metadata?.token_endpoint ?? `${uri}/token`,
    };
  }
}
