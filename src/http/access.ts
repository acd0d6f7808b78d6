import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

interface Access {
  isPublic?: boolean;
  /** Basic credentials are not accepted, and what a token may do is judged by the entry of the batch. */
  bearerOnly?: boolean;
  outlivesService?: boolean;
  isUnlimited?: boolean;
}

/** Where a handler departs from the default: it needs credentials, ends with support and counts for the rate limit. */
export const Access = Reflector.createDecorator<Access>();
const reflector = new Reflector();

/** Makes a handler public; the guard protects every other one. */
export const Public = (access: Omit<Access, 'isPublic'> = {}) => Access({ ...access, isPublic: true });

/** For the guards; undefined for most handlers. */
export const accessOf = (context: ExecutionContext): Access | undefined =>
  reflector.getAllAndOverride<Access | undefined>(Access, [context.getHandler(), context.getClass()]);
