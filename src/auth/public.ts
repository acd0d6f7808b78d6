import { SetMetadata } from '@nestjs/common';

/** Metadata key of handlers that need no credentials. */
export const IS_PUBLIC = 'isPublic';

/** Opens a handler to everyone; every other handler is behind the global guard. */
export const Public = () => SetMetadata(IS_PUBLIC, true);
