import { isUtf8 } from 'node:buffer';
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import express, { type Request } from 'express';
import { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { isTooComplex } from '../../protocol/json-size.js';
import { Turns } from '../../semaphore.js';
import { MemorySlots } from '../memory-slots.js';
import { LoadMonitor } from '../load-monitor.js';
import { requestOf } from './request-context.js';

/** Parsing more may take milliseconds, for two megabytes of different names a tenth of a second. */
const LARGE_BYTES = 8_192;

/**
 * Reads a body as JSON for the handler, and so behind the guards: nobody without credentials can make the service read
 * one. Undefined if it is empty. Throws 400 / 106, 411 / 112, 413 / 113, 503 / 201 without memory for a large one.
 */
@Injectable()
export class JsonBodyPipe implements PipeTransform<Request, Promise<unknown>> {
  private readonly readRaw = express.raw({ type: () => true, limit: this.settings.maxBodyBytes });
  /** Large bodies are parsed one in each turn of the event loop. */
  private readonly turns = new Turns();

  constructor(
    private readonly settings: Settings,
    private readonly monitor: LoadMonitor,
    private readonly slots: MemorySlots,
  ) {}

  async transform(request: Request): Promise<unknown> {
    if (request.context.isBatchEntry) return request.body;
    const bytes = this.decompressedBytes(request);
    if (bytes === 0) return undefined;
    const read = () => this.read(request).finally(this.monitor.pause(request.context));
    const raw = await this.slots.read(request, bytes, read);
    if (raw.length > LARGE_BYTES) await this.turns.next();
    // Every malformed byte would become U+FFFD, and two URLs could become one.
    if (!isUtf8(raw)) throw new ApiError('malformedJson', 'The body is not in UTF-8');
    const text = raw.toString().replace(/^\uFEFF/, '');
    if (text.trim() === '') return undefined;
    if (isTooComplex(text)) throw new ApiError('malformedJson', 'The body has too many values or levels');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ApiError('malformedJson', 'The body is not valid JSON');
    }
  }

  /** The most that the body can have when it is decompressed: DEFLATE has a limit, Brotli practically none. */
  private decompressedBytes({ headers }: Request): number {
    const { maxBodyBytes } = this.settings;
    if (headers['transfer-encoding'] !== undefined && headers['content-length'] === undefined)
      throw new ApiError('lengthRequired', 'Content-Length is required');
    const bytes = Number(headers['content-length'] ?? 0);
    if (bytes > maxBodyBytes) throw this.tooLarge();
    if (/^\s*(application\/x-www-form-urlencoded(?![^\s;])|multipart\/)/i.test(headers['content-type'] ?? ''))
      throw new ApiError('malformedJson', 'The body is a form; JSON is expected');
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (bytes === 0 || encoding === 'identity') return bytes;
    return encoding === 'gzip' || encoding === 'deflate' ? Math.min(maxBodyBytes, bytes * 1_032) : maxBodyBytes;
  }

  private read(request: Request): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let isRead = false;
      const finish = (error?: { type?: string }): void => {
        isRead = true;
        if (!error) resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
        else if (error.type === 'entity.too.large') reject(this.tooLarge());
        else reject(new ApiError('malformedJson', 'The body could not be read or decompressed'));
      };
      // A stream that was destroyed before anything listened emits no event.
      request.context.whenOver(() => isRead || finish({}));
      if (request.headers.expect !== undefined && request.httpVersion === '1.1') request.res!.writeContinue();
      this.readRaw(request, request.res!, finish);
    });
  }

  private tooLarge(): ApiError {
    return new ApiError('bodyTooLarge', `The body is larger than ${this.settings.maxBodyBytes} bytes`);
  }
}

/** The parsed JSON body of a handler; undefined when it is empty. */
export const JsonBody = () =>
  createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context))(JsonBodyPipe);
