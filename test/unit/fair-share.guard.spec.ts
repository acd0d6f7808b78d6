import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { FairShareGuard } from '../../src/http/load/fair-share.guard.js';
import { RequestContext } from '../../src/http/request/request-context.js';
import { refusal } from './refusal.js';

const guard = () => new FairShareGuard({ waiting: { perUser: 20 } as never });
const [ALICE, BOB] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];

/** A request of somebody, and whether the guard lets it in. */
function ask(of: FairShareGuard, account?: Buffer, isBatchEntry = false): RequestContext {
  const context = new RequestContext(isBatchEntry);
  expect(
    of.canActivate({
      getArgByIndex: () => ({ context, caller: account && { account } }),
    } as unknown as ExecutionContext),
  ).toBe(true);
  return context;
}

describe('of one user', () => {
  it('so many requests are let in at a time, and those of others beside them', () => {
    const share = guard();
    const running = Array.from({ length: 320 }, () => ask(share, ALICE));
    expect(refusal(() => ask(share, ALICE))).toMatchObject({ code: 503, errno: 201 });
    ask(share, BOB);
    ask(share);
    running[7]!.answered();
    ask(share, ALICE);
    expect(refusal(() => ask(share, ALICE)).errno).toBe(201);
  });

  it('a request whose client is gone counts no more', () => {
    const share = guard();
    for (let at = 0; at < 1_000; at++) ask(share, ALICE).over();
  });

  it('the entries of a batch count as the batch', () => {
    const share = guard();
    for (let at = 0; at < 1_000; at++) ask(share, ALICE, true);
  });
});
