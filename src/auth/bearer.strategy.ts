import { type IVerifyOptions, Strategy, type VerifyFunction } from 'passport-http-bearer';
import { accountKey } from './account.js';
import type { Identity, TokenVerifier } from './token-verifier.js';

/** Passport strategy for bearer tokens, which the identity provider vouches for. */
export const bearerStrategy = (verifier: TokenVerifier, secret: string) =>
  new Strategy<VerifyFunction>(
    (token: string, done: (error: unknown, account?: Buffer, info?: IVerifyOptions) => void) => {
      verifier.verify(token).then(
        (identity) => done(null, bearerAccount(secret, identity)),
        (error: unknown) => done(error),
      );
    },
  );

/** The key of whom a token stands for. */
export const bearerAccount = (secret: string, { issuer, subject }: Identity): Buffer =>
  accountKey(secret, 'bearer', [issuer, subject]);
