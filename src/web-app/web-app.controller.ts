import { createHash } from 'node:crypto';
import { Controller, Get, Module, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, CallerOf } from '../auth/caller.js';
import { projectFile } from '../config/project-file.js';
import { Settings } from '../config/settings.js';
import { Public } from '../http/access.js';
import { publicUrl } from '../http/request/request-url.js';
import { KnownPaths } from '../http/routing/unmatched.controller.js';
import { Reply } from '../http/response/reply.js';
import { StaticFiles } from '../http/response/static-files.js';
import { ApiError } from '../protocol/api-error.js';

/** Only resources from this origin, and pictures of articles, which the page itself forbids by default (docs/security.md). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // For the service worker's URL, and for decoding single character references.
  'trusted-types reading-list',
].join('; ');

/** The headers of every response below `/app/`, including scripts and the service worker. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** Serves the web application below `/app/` (docs/operations.md, "The web application"). */
@Public({ outlivesService: true })
@Controller()
export class WebAppController {
  private readonly files = new StaticFiles(projectFile('web/dist'));

  constructor(
    private readonly settings: Settings,
    paths: KnownPaths,
  ) {
    paths.folders.set('/app/', this.files);
  }

  /** The provider's name in the login paths, and whether an operator has set it up: the default has no accounts. */
  @Get('app/config.json')
  configuration() {
    const { serviceName: name, oauthProviderName: provider, oauthUriIsExplicit } = this.settings;
    return { name, provider, offersLogin: oauthUriIsExplicit || undefined };
  }

  /** The page's files are relative to the path with the slash. */
  @Get('app{/}')
  index(@Req() request: Request): Reply {
    if (request.path.endsWith('/')) return this.file(['index.html'], request);
    return new Reply(302, {}, { Location: `${publicUrl(request, this.settings)}/app/` });
  }

  @Get('app/*path')
  file(@Param('path') path: string[], @Req() { headers }: Request): Reply {
    if (!this.files.has('index.html')) throw new ApiError('notFound', 'No web application: run "npm run build"');
    const name = path.join('/');
    const { reply, etag } = this.files.find(name);
    // The build gives these files a hash in their name.
    const lifetime = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    const caching = { 'Cache-Control': lifetime, ETag: etag, ...PAGE_HEADERS };
    if (headers['if-none-match'] !== etag) return reply.with(caching);
    return new Reply(304, undefined, { ...caching, Vary: 'Accept-Encoding' });
  }
}

@Controller('app/account')
export class AccountController {
  /** Which account the application serves, so that no two share a browser's storage: a key that reveals nothing, and a name. */
  @Get()
  account(@CallerOf() { account, sender }: Caller) {
    const key = createHash('sha256').update('web application').update(account).digest('base64url');
    return { account: key.slice(0, 22), name: sender.name };
  }
}

@Module({ controllers: [AccountController, WebAppController] })
export class WebAppModule {}
