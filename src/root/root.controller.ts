import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../auth/auth.guard.js';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { documentationUrl, publicUrl } from '../http/request/request-url.js';
import { Reply } from '../http/response/reply.js';
import { capabilitiesOf, limitsOf } from './capabilities.js';
import { readVersion } from './version.js';

/** Describes this service: `/`, `/v2`, `/__version__` (docs/protocol.md, "Utility endpoints"). */
@Public()
@OutlivesService()
@Controller()
export class RootController {
  private readonly version = readVersion();

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get('/')
  redirect(@Req() request: Request): Reply {
    const vary: Record<string, string> = this.settings.webAppEnabled ? { Vary: 'Accept' } : {};
    if (this.settings.webAppEnabled && request.accepts(['json', 'html']) === 'html')
      return new Reply(302, undefined, { Location: `${publicUrl(request, this.settings)}/app/`, ...vary });
    const mapping = this.describe(request);
    return new Reply(307, mapping, { Location: `${mapping.url}/`, ...vary });
  }

  @Get('v2')
  root(@Req() request: Request) {
    return this.describe(request);
  }

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
      documentation: documentationUrl(request, this.settings),
      settings: limitsOf(this.settings),
      capabilities: capabilitiesOf(this.settings),
    };
  }
}
