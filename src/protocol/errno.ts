/** The stable error numbers of the protocol and their HTTP status (docs/protocol.md, "Errors"). */
export const ERRORS = {
  missingAuthorization: { status: 401, errno: 104, error: 'Unauthorized' },
  invalidAuthorization: { status: 401, errno: 105, error: 'Unauthorized' },
  malformedJson: { status: 400, errno: 106, error: 'Bad Request' },
  invalidParameter: { status: 400, errno: 107, error: 'Bad Request' },
  missingParameter: { status: 400, errno: 108, error: 'Bad Request' },
  invalidPostedData: { status: 400, errno: 109, error: 'Bad Request' },
  invalidId: { status: 404, errno: 110, error: 'Not Found' },
  notFound: { status: 404, errno: 111, error: 'Not Found' },
  lengthRequired: { status: 411, errno: 112, error: 'Length Required' },
  bodyTooLarge: { status: 413, errno: 113, error: 'Payload Too Large' },
  modifiedMeanwhile: { status: 412, errno: 114, error: 'Precondition Failed' },
  methodNotAllowed: { status: 405, errno: 115, error: 'Method Not Allowed' },
  tooManyRequests: { status: 429, errno: 117, error: 'Too Many Requests' },
  forbidden: { status: 403, errno: 121, error: 'Forbidden' },
  conflict: { status: 409, errno: 122, error: 'Conflict' },
  unavailable: { status: 503, errno: 201, error: 'Service Unavailable' },
  deprecated: { status: 410, errno: 202, error: 'Gone' },
  headersTooLarge: { status: 431, errno: 107, error: 'Request Header Fields Too Large' },
  requestTimeout: { status: 408, errno: 107, error: 'Request Timeout' },
  expectationFailed: { status: 417, errno: 107, error: 'Expectation Failed' },
  unexpected: { status: 500, errno: 999, error: 'Internal Server Error' },
} as const;

export type ErrorName = keyof typeof ERRORS;
