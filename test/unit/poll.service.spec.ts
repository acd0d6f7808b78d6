import { setImmediate as turn } from 'node:timers/promises';
import type { Request } from 'express';
import { afterEach, expect, it } from 'vitest';
import type { AuthGuard } from '../../src/auth/auth.guard.js';
import { Caller } from '../../src/auth/caller.js';
import type { Settings } from '../../src/config/settings.js';
import { RequestContext } from '../../src/http/request/request-context.js';
import type { ServiceStatus } from '../../src/http/service-status.js';
import { HeldPolls } from '../../src/polling/held-polls.js';
import { PollService } from '../../src/polling/poll.service.js';

const SINCE = 1_000;

const settings = { waitMaxSeconds: 55, waitingPerUser: 20, waitingMax: 1_000 } as Settings;
const monitor = { load: 'normal', pause: () => () => undefined };
const status = { draining: false, monitor } as unknown as ServiceStatus;
const guard = { senderOf: () => Promise.resolve() } as unknown as AuthGuard;

const polls = new HeldPolls(settings);
const service = new PollService(polls, status, guard, settings, Date.now);
const contexts: RequestContext[] = [];

/** A poll of a user that is held; its response is never complete. */
function hold(user: string) {
  const context = new RequestContext();
  contexts.push(context);
  const caller = new Caller({ account: Buffer.from(user), key: user }, context);
  const headers = { prefer: 'wait=20' };
  const request = { url: '/', headers, rawHeaders: ['Prefer', 'wait=20'], context, caller, resume: () => undefined };
  return service.poll(request as unknown as Request, SINCE, () => Promise.resolve(SINCE));
}

/** Wakes 20 polls of a user, who never gets the responses. */
async function wakeMany(user: string): Promise<void> {
  for (let count = 0; count < 20; count++) hold(user).catch(() => undefined);
  await turn();
  polls.announce(user, SINCE + 1);
  await turn();
}

afterEach(() => {
  for (const context of contexts.splice(0)) context.over();
});

it('polls of a user that were woken and read slowly hold up nobody else', async () => {
  await wakeMany('greedy');
  await wakeMany('greedy');
  const other = hold('another');
  await turn();
  polls.announce('another', SINCE + 1);
  const answer = await Promise.race([other, turn().then(turn)]);
  expect(answer).toMatchObject({ unchanged: undefined, headers: { 'Preference-Applied': 'wait=20' } });
});
