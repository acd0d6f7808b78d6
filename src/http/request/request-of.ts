import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The request that a guard or a parameter is asked about. `switchToHttp()` would make three functions each time. */
export const requestOf = <T extends Request>(context: ExecutionContext): T => context.getArgByIndex<T>(0);
