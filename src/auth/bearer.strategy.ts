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

const accounts = new WeakMap<Identity, Buffer>();

/** The key of whom a token stands for; computed once for as long as the identity is remembered. */
export function bearerAccount(secret: string, identity: Identity): Buffer {
  const known = accounts.get(identity);
  if (known) return known;
  const account = accountKey(secret, 'bearer', [identity.issuer, identity.subject]);
  accounts.set(identity, account);
  return account;
}
