import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Controller, Get, Module, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../config/settings.js';
import { Public } from '../http/access.js';
import { documentationUrl, publicUrl } from '../http/request/request-url.js';
import { Reply } from '../http/response/reply.js';
import { commitOf, projectFile } from '../config/project-file.js';
import { UnmatchedController } from '../http/routing/unmatched.controller.js';

/** Describes this service: `/`, `/v2`, `/__version__` (docs/protocol.md, "Utility endpoints"). */
@Public({ outlivesService: true })
@Controller()
export class RootController {
  private readonly version = readVersion();

  constructor(private readonly settings: Settings) {}

  @Get('/')
  redirect(@Req() request: Request): Reply {
    const mapping = this.root(request);
    const reply = new Reply(307, mapping, { Location: `${mapping.url}/` });
    if (!this.settings.webAppEnabled) return reply;
    if (request.accepts(['json', 'html']) !== 'html') return reply.with({ Vary: 'Accept' });
    return new Reply(302, undefined, { Location: `${publicUrl(request, this.settings)}/app/`, Vary: 'Accept' });
  }

  @Get('v2')
  root(@Req() request: Request) {
    const base = publicUrl(request, this.settings);
    const { basicAuthEnabled: basic, oauthEnabled: oauth, tokensEnabled: tokens, waitMaxSeconds } = this.settings;
    const capabilities = { basic, oauth, tokens, wait: waitMaxSeconds > 0 };
    return {
      hello: this.settings.serviceName,
      version: this.version.version,
      url: `${base}/v2`,
      eos: this.settings.endOfService?.date,
      documentation: documentationUrl(request, this.settings),
      settings: {
        page_size: this.settings.pageSize,
        batch_max_requests: this.settings.batchMaxRequests,
        max_body_bytes: this.settings.maxBodyBytes,
        wait_max_seconds: waitMaxSeconds,
        delete_collection: this.settings.deleteCollectionEnabled,
      },
      capabilities: Object.entries(capabilities).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    };
  }

  @Get(['__version__', 'v2/__version__'])
  showVersion() {
    return this.version;
  }
}

function readVersion() {
  const path = projectFile('package.json');
  const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as Record<'name' | 'version', string>;
  return { name, version, commit: commitOf(dirname(path)) };
}

@Module({ controllers: [RootController, UnmatchedController] })
export class RootModule {}
