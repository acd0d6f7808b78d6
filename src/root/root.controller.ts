import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../auth/public.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { publicUrl } from '../http/public-url.js';
import { Reply } from '../http/reply.js';
import { RootDocs } from './root.docs.js';
import { readVersion } from './version.js';

/** Says what this service is: `/`, `/v2`, `/__version__` (docs/protocol.md, "Utility endpoints"). */
@ApiTags('utility')
@Public()
@OutlivesService()
@Controller()
export class RootController {
  private readonly version = readVersion();

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @RootDocs.redirect
  @Get('/')
  redirect(@Req() request: Request): Reply {
    const mapping = this.describe(request);
    return new Reply(307, mapping, { Location: `${mapping.url}/` });
  }

  @RootDocs.root
  @Get('v2')
  root(@Req() request: Request) {
    return this.describe(request);
  }

  @RootDocs.version
  @Get(['__version__', 'v2/__version__'])
  showVersion() {
    return this.version;
  }

  private describe(request: Request) {
    const base = publicUrl(request, this.settings);
    return {
      hello: this.settings.serviceName,
      version: this.version.version,
      url: `${base}/v2`,
      eos: this.settings.endOfService?.date,
      documentation: this.settings.documentationUrl ?? `${base}/docs`,
    };
  }
}
