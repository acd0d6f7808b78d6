import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { type HeaderName, headersOf } from './response-headers.js';

const timestamp = { type: 'string', pattern: '^\\d{1,16}$' };

/**
 * The header that turns a reading operation into 304 when nothing changed.
 * @param names the headers of the 304 beside `Last-Modified`
 */
export const ifModifiedSince = (...names: HeaderName[]): MethodDecorator[] => [
  ApiHeader({
    name: 'If-Modified-Since',
    required: false,
    description: 'A timestamp as `Last-Modified` gives it: 304 when nothing changed after it.',
    schema: timestamp,
  }),
  ApiResponse({ status: 304, description: 'Nothing changed.', headers: headersOf(304, ['Last-Modified', ...names]) }),
];

/** The header that has a poll wait for a change instead of being answered 304. */
export const preferWait = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`wait=N` (RFC 7240), with `If-Modified-Since`: where the answer would be 304 the request is held for up to N seconds, ' +
      'and answered as soon as the collection changes. `Preference-Applied` says that it is.',
    schema: { type: 'string', example: 'wait=55' },
  });

/** The header that keeps an operation from being carried out on something that changed. */
export const ifUnmodifiedSince = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Unmodified-Since',
    required: false,
    description: 'A timestamp as `Last-Modified` gives it: 412 when the record or the collection changed after it.',
    schema: timestamp,
  });
