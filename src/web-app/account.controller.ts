import { createHash } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { type Caller, CallerOf } from '../auth/caller.js';

/** Tells the web application which account it serves, so that no two accounts share a browser's storage. */
@Controller('app/account')
export class AccountController {
  /** A stable name of the caller's account that reveals nothing about the user. */
  @Get()
  name(@CallerOf() { account }: Caller): { account: string } {
    const name = createHash('sha256').update('web application').update(account).digest('base64url');
    return { account: name.slice(0, 22) };
  }
}
