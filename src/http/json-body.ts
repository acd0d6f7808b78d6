import { createParamDecorator, type ExecutionContext, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import bodyParser from 'body-parser';
import type { Request } from 'express';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { isBatchEntry } from '../logging/batch-entry.js';
import { ApiError } from '../protocol/api-error.js';
import { requestOf } from './request-of.js';

/**
 * Reads a request's body as JSON when a handler asks for it, which is after the guards: nobody makes the service read a body
 * without credentials. The entry of a batch has its body already. Gives undefined for an empty body. Throws 400 / 106,
 * 411 / 112, 413 / 113.
 */
@Injectable()
export class JsonBodyPipe implements PipeTransform<Request, Promise<unknown>> {
  private readonly readRaw: ReturnType<typeof bodyParser.raw>;
  private readonly maxBodyBytes: number;

  constructor(@Inject(SETTINGS) { maxBodyBytes }: Settings) {
    this.maxBodyBytes = maxBodyBytes;
    this.readRaw = bodyParser.raw({ type: () => true, limit: maxBodyBytes });
  }

  async transform(request: Request): Promise<unknown> {
    if (isBatchEntry(request)) return request.body;
    this.requireReadable(request);
    const raw = await this.read(request);
    const text = raw.toString().replace(/^\uFEFF/, '');
    if (text.trim() === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ApiError('malformedJson', 'The body is not valid JSON');
    }
  }

  private requireReadable({ headers }: Request): void {
    if (headers['transfer-encoding'] !== undefined && headers['content-length'] === undefined)
      throw new ApiError('lengthRequired', 'Content-Length is required');
    if (Number(headers['content-length'] ?? 0) > this.maxBodyBytes) throw this.tooLarge();
    if (/^\s*(application\/x-www-form-urlencoded|multipart\/)/i.test(headers['content-type'] ?? ''))
      throw new ApiError('malformedJson', 'The body is a form, JSON is expected');
  }

  private read(request: Request): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.readRaw(request, request.res!, (error?: unknown) => {
        if (error) reject(this.explain(error));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      });
    });
  }

  private explain({ type }: { type?: string }): ApiError {
    return type === 'entity.too.large'
      ? this.tooLarge()
      : new ApiError('malformedJson', 'The body could not be read or decompressed');
  }

  private tooLarge(): ApiError {
    return new ApiError('bodyTooLarge', `The body is larger than ${this.maxBodyBytes} bytes`);
  }
}

const RequestParameter = createParamDecorator((_: unknown, context: ExecutionContext): Request =>
  requestOf<Request>(context),
);

/** The parsed JSON body of a handler; undefined when it is empty. */
export const JsonBody = () => RequestParameter(JsonBodyPipe);
