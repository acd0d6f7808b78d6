import { type IVerifyOptions, Strategy, type VerifyFunction } from 'passport-http-bearer';
import { accountKey } from './account.js';
import type { TokenVerifier } from './token-verifier.js';

/** Passport strategy for bearer tokens, which the identity provider vouches for. */
export const bearerStrategy = (verifier: TokenVerifier, secret: string) =>
  new Strategy<VerifyFunction>(
    (token: string, done: (error: unknown, account?: Buffer, info?: IVerifyOptions) => void) => {
      verifier.verify(token).then(
        ({ issuer, subject }) => done(null, accountKey(secret, 'bearer', [issuer, subject])),
        (error: unknown) => done(error),
      );
    },
  );
