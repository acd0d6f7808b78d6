import { Inject, Injectable } from '@nestjs/common';
import { type IVerifyOptions, Strategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import { SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { accountKey, type Sender } from '../caller.js';
import { ServiceStatus } from '../../http/service-status.js';
import type { Identity } from '../tokens/identity.js';
import { TokenVerifier } from '../tokens/token-verifier.js';

type Done = (error: unknown, sender?: Sender, info?: IVerifyOptions) => void;

/** Passport strategy for bearer tokens, from the identity provider or personal. A cached token needs no promise. */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunctionWithRequest> {
  private readonly accounts = new WeakMap<Identity, Buffer>();

  constructor(verifier: TokenVerifier, @Inject(SETTINGS) { userIdSecret }: Settings, { monitor }: ServiceStatus) {
    super({ passReqToCallback: true }, ({ socket }, token, done: Done) => {
      const known = verifier.cached(token, socket);
      if (known) return done(null, this.senderOf(known, userIdSecret));
      monitor.whileWaiting(verifier.verify(token)).then(
        (identity) => done(null, this.senderOf(identity, userIdSecret)),
        (error: unknown) => done(error),
      );
    });
  }

  private senderOf(identity: Identity, secret: string): Sender {
    return { account: this.accountOf(identity, secret), expiresAt: identity.expiresAt };
  }

  /** Computed only once while the identity is cached. */
  private accountOf(identity: Identity, secret: string): Buffer {
    const known = this.accounts.get(identity);
    if (known) return known;
    const account = accountKey(secret, 'bearer', [identity.issuer, identity.subject]);
    this.accounts.set(identity, account);
    return account;
  }
}
