import { ApiSecurity } from '@nestjs/swagger';

/** The operation accepts a bearer token or Basic credentials. */
export const anyCredentials = (): MethodDecorator[] => [...bearerToken(), ApiSecurity('basic')];

/** The operation accepts only a bearer token. */
export const bearerToken = (): MethodDecorator[] => [ApiSecurity('oauth2'), ApiSecurity('bearer')];
