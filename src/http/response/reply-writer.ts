import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { ServiceStatus } from '../service-status.js';
import { Compression } from './compression.js';
import { Reply, writeReply } from './reply.js';

/** Writes what handlers return and what the error filter makes of an error. */
@Injectable()
export class ReplyWriter {
  private readonly compression?: Compression;

  constructor(
    @Inject(SETTINGS) { compressionEnabled }: Settings,
    private readonly status: ServiceStatus,
  ) {
    if (compressionEnabled) this.compression = new Compression();
  }

  write(response: ServerResponse, result: unknown): void {
    if (this.status.draining && !response.headersSent) response.setHeader('Connection', 'close');
    writeReply(response, Reply.of(result), this.compression);
  }
}
