import { expect } from 'vitest';
import { ApiError } from '../../src/protocol/api-error.js';

/** The error body that `action` throws as an `ApiError`; fails when it throws anything else or nothing. */
export function refusal(action: () => unknown): { code: number; errno: number; message: string } {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const { code, errno, message } = (error as ApiError).body('');
    return { code, errno, message };
  }
  throw new Error('nothing was refused');
}
