import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import { ServiceStatus } from '../../http/service-status.js';
import type { Sender } from '../caller.js';
import { DeprovisionedUsers } from '../tokens/deprovisioned-users.js';
import { TokenVerifier } from '../tokens/token-verifier.js';

/** What a strategy sees of a request: tokens in a query string or body do not count. */
export interface Presented {
  headers: { authorization?: string };
  /** The IP address, or network, that the request counts for. */
  address: () => string;
  /** Counts the request for its IP address, once. Throws 429 / 117 beyond the rate limit. */
  count: () => Promise<void>;
}

/** Passport strategy for bearer tokens, from the identity provider or personal. */
@Injectable()
export class BearerStrategy extends Strategy<VerifyFunctionWithRequest> {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly status: ServiceStatus,
    private readonly deprovisioned: DeprovisionedUsers,
  ) {
    super({ passReqToCallback: true }, (request: Request, token, done: (error: unknown, sender?: Sender) => void) => {
      this.senderOf(request as unknown as Presented, token).then((sender) => done(null, sender), done);
    });
  }

  private async senderOf({ address, count }: Presented, token: string): Promise<Sender> {
    let sender = this.verifier.cached(token);
    if (!sender) {
      // Before the check, because anybody can send tokens that have to be checked.
      await count();
      sender = await this.status.monitor.whileWaiting(this.verifier.verify(token, address()));
    }
    await this.deprovisioned.refuse(sender.key);
    return sender;
  }
}
