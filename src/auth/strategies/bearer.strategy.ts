import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import { ServiceStatus } from '../../http/service-status.js';
import type { Sender } from '../caller.js';
import { DeprovisionedUsers } from '../tokens/deprovisioned-users.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import type { Presented } from './presented.js';

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

  private async senderOf(presented: Presented, token: string): Promise<Sender> {
    let sender = this.verifier.cached(token);
    if (!sender) {
      // Before the check, because anybody can send tokens that have to be checked.
      await presented.count();
      sender = await this.status.monitor.whileWaiting(this.verifier.verify(token, presented.address));
    }
    await this.deprovisioned.refuse(sender.key);
    return sender;
  }
}
