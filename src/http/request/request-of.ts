import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The request of a guard's or decorator's context. `switchToHttp()` would create three functions per call. */
export const requestOf = <T extends Request>(context: ExecutionContext): T => context.getArgByIndex<T>(0);
