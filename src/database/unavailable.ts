import { ApiError } from '../protocol/api-error.js';

/** 503 / 201: the database is not available, and retrying within this request does not help. */
export const unavailable = (cause: unknown): ApiError =>
  Object.assign(new ApiError('unavailable', 'The database is not available, try again later'), { cause });
