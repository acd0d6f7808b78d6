import { createHash } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { type Caller, CallerOf } from '../auth/caller.js';

/** Tells the web application which account it serves, so that no two accounts share a browser's storage. */
@Controller('app/account')
export class AccountController {
  /** A stable key of the caller's account that reveals nothing about the user, and the user's name if the token has one. */
  @Get()
  name(@CallerOf() { account, name }: Caller): { account: string; name?: string } {
    const key = createHash('sha256').update('web application').update(account).digest('base64url');
    return { account: key.slice(0, 22), name };
  }
}
