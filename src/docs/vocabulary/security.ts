import { ApiSecurity } from '@nestjs/swagger';

/** The operation needs a user, by any kind of credentials. */
export const forUsers = (): MethodDecorator[] => [...forTokens(), ApiSecurity('basic')];

/** The operation needs a bearer token. */
export const forTokens = (): MethodDecorator[] => [ApiSecurity('oauth2'), ApiSecurity('bearer')];
