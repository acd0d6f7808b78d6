import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorName } from '../../protocol/errno.js';
import { type HeaderName, headersOf } from './response-headers.js';

/** Named examples of one body. */
export type Examples = Record<string, { summary: string; value: unknown }>;

/** The body of every error answer. */
@ApiSchema({ name: 'Error' })
export class ErrorDto {
  @ApiProperty({ type: 'integer', description: 'The HTTP status.', example: 400 })
  code: number;

  @ApiProperty({ type: 'integer', description: 'The stable number of the error.', example: 109 })
  errno: number;

  @ApiProperty({ type: 'string', description: 'The reason phrase of the status.', example: 'Bad Request' })
  error: string;

  @ApiProperty({ type: 'string', description: 'What is wrong, for people.', example: 'title: not a string' })
  message: string;

  @ApiProperty({ type: 'string', required: false, description: 'More information, such as a URL.' })
  info?: string;
}

/** What each error means, and a message it comes with. */
const MEANINGS: Readonly<Record<ErrorName, [meaning: string, message: string]>> = {
  missingAuthorization: ['no usable credentials', 'Authorization is required'],
  invalidAuthorization: ['the credentials were rejected', 'The credentials were refused'],
  malformedJson: ['the body is not JSON', 'The body is not valid JSON'],
  invalidParameter: ['a query, path or header parameter is wrong', '_limit: not an integer >= 1'],
  missingParameter: ['a required field or parameter is missing', 'url: missing'],
  invalidPostedData: ['a value in the body is wrong', 'title: longer than 1024 characters'],
  invalidId: ['the id is not a UUID', 'id: not a UUID'],
  notFound: ['there is no such record (any more), or no such path', 'id: no such article'],
  lengthRequired: ['the body has no Content-Length', 'Content-Length is required'],
  bodyTooLarge: ['the body is too large', 'The body is larger than 2097152 bytes'],
  modifiedMeanwhile: ['changed since `If-Unmodified-Since`', 'Resource was modified meanwhile'],
  methodNotAllowed: ['the path does not support this method', 'PUT: not allowed here'],
  tooManyRequests: ['too many requests in this minute', 'Too many requests'],
  forbidden: ['the token is valid but lacks the scope', 'The access token lacks the scope readinglist'],
  conflict: [
    'another record has that `resolved_url`',
    'resolved_url: already held by article 6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11',
  ],
  unavailable: ['a backend or this instance is unavailable', 'The database is not available'],
  deprecated: ['the service, or this version of it, has ended', 'The service has reached its end of support'],
  headersTooLarge: ['the headers are too large', 'The request line and headers are larger than 65536 bytes'],
  requestTimeout: ['the request did not arrive in time', 'The request did not arrive in time'],
  expectationFailed: ['`Expect` is not `100-continue`', 'Expect: only 100-continue is known'],
  unexpected: ['a defect of the service', 'An unexpected error occurred'],
};

const OWN_HEADERS: Partial<Record<ErrorName, HeaderName>> = {
  missingAuthorization: 'WWW-Authenticate',
  invalidAuthorization: 'WWW-Authenticate',
  methodNotAllowed: 'Allow',
  modifiedMeanwhile: 'Last-Modified',
};

interface Answer {
  /** The class of the body, or several of which it is one. */
  type?: Type | Type[];
  examples?: Examples;
  /** The headers beside those that all answers of the status carry. */
  names?: readonly HeaderName[];
}

/** An answer of an operation. */
export function answers(status: number, description: string, { type, examples, names }: Answer = {}): MethodDecorator {
  const common = { status, description, headers: headersOf(status, names) };
  if (!type) return ApiResponse(common);
  const types = [type].flat();
  const [schema, ...others] = types.map((one) => ({ $ref: getSchemaPath(one) }));
  const content = {
    'application/json': { schema: others.length > 0 ? { anyOf: [schema!, ...others] } : schema, examples },
  };
  return applyDecorators(ApiExtraModels(...types), ApiResponse({ ...common, content }));
}

/** The error answers of an operation, those of one status together. */
export const refuses = (...kinds: ErrorName[]): MethodDecorator[] => refusesWith([], ...kinds);

/** The same with headers of their own. */
export function refusesWith(names: readonly HeaderName[], ...kinds: ErrorName[]): MethodDecorator[] {
  return [...new Set(kinds.map((kind) => ERRORS[kind].status))].map((status) => {
    const same = kinds.filter((kind) => ERRORS[kind].status === status);
    const all = [...names, ...same.flatMap((kind) => OWN_HEADERS[kind] ?? [])];
    const description = same.map((kind) => `errno ${ERRORS[kind].errno}: ${MEANINGS[kind][0]}`).join('; ');
    return ApiResponse({ status, description, headers: headersOf(status, all), content: errorContent(same) });
  });
}

/** Refers to `ErrorDto`, which the document has in any case, so that it is not looked at for every error of every operation. */
function errorContent(kinds: readonly ErrorName[]) {
  const example = (kind: ErrorName) => {
    const { status: code, errno, error } = ERRORS[kind];
    const [summary, message] = MEANINGS[kind];
    return [kind, { summary, value: { code, errno, error, message } }] as const;
  };
  const schema = { $ref: getSchemaPath(ErrorDto) };
  return { 'application/json': { schema, examples: Object.fromEntries(kinds.map(example)) } };
}

const CONNECTION_ERRORS: ErrorName[] = ['invalidParameter', 'headersTooLarge', 'requestTimeout', 'expectationFailed'];

/** What a request may be answered that is not acceptable HTTP, whatever its path. */
export const refusesUnreadable: MethodDecorator = ApiResponse({
  status: 'default',
  description: 'The request is not acceptable HTTP: status 400, 408, 417 or 431, each with errno 107.',
  headers: headersOf(400),
  content: errorContent(CONNECTION_ERRORS),
});

/** What any request may be answered but for health checks: also by a full service, and by a defect. */
export const refusesAnything: MethodDecorator[] = [...refuses('unexpected', 'unavailable'), refusesUnreadable];

/** What every operation that needs a user may be answered. */
export const refusesStrangers = (...kinds: ErrorName[]): MethodDecorator[] => [
  ...refuses('missingAuthorization', 'invalidAuthorization', 'forbidden', 'deprecated', 'tooManyRequests'),
  ...refuses(...kinds),
  ...refusesAnything,
];
