import { ApiError } from '../protocol/api-error.js';

/** 413 / 113: the server takes no statement of that size. */
export const tooLarge = (cause: unknown): ApiError =>
  Object.assign(new ApiError('bodyTooLarge', 'The database does not accept a record of that size'), { cause });
