import { SetMetadata } from '@nestjs/common';

/** Metadata key of handlers that need no credentials. */
export const IS_PUBLIC = 'isPublic';

/** Makes a handler public; the global guard protects every other one. */
export const Public = () => SetMetadata(IS_PUBLIC, true);
