import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { type HeaderName, headersOf } from './response-headers.js';

const timestamp = { type: 'string', pattern: '^\\d{1,16}$' };

/**
 * The header that makes a read return 304 when nothing has changed, and that response.
 * @param headers those of the 304 in addition to `Last-Modified`
 */
export const ifModifiedSince = (...headers: HeaderName[]): MethodDecorator[] => [
  ApiHeader({
    name: 'If-Modified-Since',
    required: false,
    description: 'A timestamp from `Last-Modified`: 304 if nothing has changed since.',
    schema: timestamp,
  }),
  ApiResponse({ status: 304, description: 'Not modified.', headers: headersOf(304, ['Last-Modified', ...headers]) }),
];

/** The header that makes a poll wait for a change instead of returning 304. */
export const preferWait = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`wait=N` (RFC 7240), with `If-Modified-Since`: instead of a 304, the response is delayed for up to N seconds until the ' +
      'collection changes. `Preference-Applied` confirms it.',
    schema: { type: 'string', example: 'wait=55' },
  });

/** The header that makes an operation fail with 412 when its target has changed. */
export const ifUnmodifiedSince = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Unmodified-Since',
    required: false,
    description: 'A timestamp from `Last-Modified`: 412 if the record or the collection has changed since.',
    schema: timestamp,
  });
