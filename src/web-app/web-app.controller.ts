import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../auth/auth.guard.js';
import { type Caller, CallerOf } from '../auth/caller.js';
import { SETTINGS } from '../config/settings.module.js';
import { projectFolder } from '../config/project-folder.js';
import type { Settings } from '../config/settings.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { publicUrl } from '../http/request/request-url.js';
import { KnownPaths } from '../http/routing/known-paths.js';
import { Reply } from '../http/response/reply.js';
import { ApiError } from '../protocol/api-error.js';
import { PAGE_HEADERS, readWebApp } from './web-app-files.js';

/** Serves the web application below `/app/` (docs/operations.md, "The web application"). */
@Public()
@OutlivesService()
@Controller()
export class WebAppController {
  private readonly files = readWebApp(join(projectFolder(), 'web/dist'));

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    paths: KnownPaths,
  ) {
    paths.addFolder('/app/', (name) => this.files.has(name));
  }

  /**
   * What the application cannot know on its own: the provider's name in the login paths, and whether the operator has set it up.
   * Nobody has an account at the provider that is the default outside production.
   */
  @Get('app/config.json')
  configuration(): Reply {
    const { serviceName, oauthProviderName, oauthUriIsExplicit } = this.settings;
    const offersLogin = oauthUriIsExplicit || undefined;
    return new Reply(200, { name: serviceName, provider: oauthProviderName, offersLogin });
  }

  /** The page's files are relative to the path with the slash. */
  @Get('app{/}')
  index(@Req() request: Request): Reply {
    if (request.path.endsWith('/')) return this.send('index.html', request);
    return new Reply(302, {}, { Location: `${publicUrl(request, this.settings)}/app/` });
  }

  @Get('app/*path')
  file(@Param('path') path: string[], @Req() request: Request): Reply {
    return this.send(path.join('/'), request);
  }

  private send(name: string, request: Request): Reply {
    const file = this.files.get(name);
    if (!file)
      throw new ApiError('notFound', this.files.size > 0 ? 'Unknown path' : 'The web application is not built');
    const { cacheControl, etag, contentType, content } = file;
    const headers = { ...PAGE_HEADERS, 'Cache-Control': cacheControl, ETag: etag };
    if (request.headers['if-none-match'] === etag)
      return new Reply(304, undefined, { ...headers, Vary: 'Accept-Encoding' });
    return new Reply(200, content, { ...headers, 'Content-Type': contentType });
  }
}

/** Tells the web application which account it serves, so that no two accounts share a browser's storage. */
@Controller('app/account')
export class AccountController {
  /** A stable key of the caller's account that reveals nothing about the user, and the user's name if the token has one. */
  @Get()
  name(@CallerOf() { account, name }: Caller): { account: string; name?: string } {
    const key = createHash('sha256').update('web application').update(account).digest('base64url');
    return { account: key.slice(0, 22), name };
  }
}
