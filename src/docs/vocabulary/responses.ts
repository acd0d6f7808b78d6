import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorName } from '../../protocol/errno.js';
import { type HeaderName, headersOf } from './response-headers.js';

/** Named examples of a body. */
export type Examples = Record<string, { summary: string; value: unknown }>;

/** The body of every error response. */
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

/** What each error means, with an example of its message. */
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

/** The headers that only some errors have. */
const ERROR_HEADERS: Partial<Record<ErrorName, HeaderName>> = {
  missingAuthorization: 'WWW-Authenticate',
  invalidAuthorization: 'WWW-Authenticate',
  methodNotAllowed: 'Allow',
  modifiedMeanwhile: 'Last-Modified',
};

interface ResponseOptions {
  /** The class of the body, or several if it may be any of them. */
  type?: Type | Type[];
  examples?: Examples;
  /** The headers in addition to those of every response with this status. */
  headers?: readonly HeaderName[];
}

/** Documents a response of an operation. */
export function operationResponse(
  status: number,
  description: string,
  { type, examples, headers }: ResponseOptions = {},
): MethodDecorator {
  const common = { status, description, headers: headersOf(status, headers) };
  if (!type) return ApiResponse(common);
  const types = [type].flat();
  const [schema, ...others] = types.map((one) => ({ $ref: getSchemaPath(one) }));
  const content = {
    'application/json': { schema: others.length > 0 ? { anyOf: [schema!, ...others] } : schema, examples },
  };
  return applyDecorators(ApiExtraModels(...types), ApiResponse({ ...common, content }));
}

/** Documents the error responses of an operation; errors with the same status share one. */
export const errorResponses = (...kinds: ErrorName[]): MethodDecorator[] => errorResponsesWithHeaders([], ...kinds);

/** Error responses that have additional headers. */
export function errorResponsesWithHeaders(headers: readonly HeaderName[], ...kinds: ErrorName[]): MethodDecorator[] {
  return [...new Set(kinds.map((kind) => ERRORS[kind].status))].map((status) => {
    const same = kinds.filter((kind) => ERRORS[kind].status === status);
    const all = [...headers, ...same.flatMap((kind) => ERROR_HEADERS[kind] ?? [])];
    const description = same.map((kind) => `errno ${ERRORS[kind].errno}: ${MEANINGS[kind][0]}`).join('; ');
    return ApiResponse({ status, description, headers: headersOf(status, all), content: errorContent(same) });
  });
}

/**
 * The body of an error response. It refers to the schema of `ErrorDto`, which is always in the document: naming the class
 * would make the generator inspect it again for each error of each operation.
 */
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

/** The response to a request that the HTTP server rejects, whatever its path. */
export const defaultResponse: MethodDecorator = ApiResponse({
  status: 'default',
  description: 'The HTTP server rejects the request: status 400, 408, 417 or 431, each with errno 107.',
  headers: headersOf(400),
  content: errorContent(CONNECTION_ERRORS),
});

/** The error responses that most operations have in common: a defect, an unavailable or overloaded instance, the default. */
export const commonErrors: MethodDecorator[] = [...errorResponses('unexpected', 'unavailable'), defaultResponse];

/** The error responses of an operation that requires a user. */
export const authenticatedErrors = (...kinds: ErrorName[]): MethodDecorator[] => [
  ...errorResponses('missingAuthorization', 'invalidAuthorization', 'forbidden', 'deprecated', 'tooManyRequests'),
  ...errorResponses(...kinds),
  ...commonErrors,
];
