import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { headersOf } from './response-headers.js';

const timestamp = { type: 'string', pattern: '^\\d{1,16}$' };

/** The header that turns a reading operation into 304 when nothing changed. */
export const ifModifiedSince = (): MethodDecorator[] => [
  ApiHeader({
    name: 'If-Modified-Since',
    required: false,
    description: 'A timestamp as `Last-Modified` gives it: 304 when nothing changed after it.',
    schema: timestamp,
  }),
  ApiResponse({ status: 304, description: 'Nothing changed.', headers: headersOf(304, ['Last-Modified']) }),
];

/** The header that keeps an operation from being carried out on something that changed. */
export const ifUnmodifiedSince = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Unmodified-Since',
    required: false,
    description: 'A timestamp as `Last-Modified` gives it: 412 when the record or the collection changed after it.',
    schema: timestamp,
  });
