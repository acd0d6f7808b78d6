import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ResponseMemory } from '../../src/http/response/response-memory.js';
import { RequestContext } from '../../src/http/request/request-context.js';

const [ALICE, BOB] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
const MEBIBYTE = 2 ** 20;

/** The response to a new request, and its context. */
function aResponse(): { response: ServerResponse; context: RequestContext } {
  const context = new RequestContext();
  return { response: { req: { context } as unknown as IncomingMessage } as ServerResponse, context };
}

/** How many turns of the event loop pass until a promise is settled. */
async function turnsUntil(settled: Promise<unknown>): Promise<number> {
  let isSettled = false;
  const note = () => (isSettled = true);
  void settled.then(note, note);
  for (let turns = 0; ; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return turns;
  }
}

describe('a response whose client is gone', () => {
  it('gets no memory', async () => {
    const memory = new ResponseMemory();
    const { response, context } = aResponse();
    context.over();
    await expect(memory.hold(response, ALICE, MEBIBYTE)).rejects.toMatchObject({ errno: 201 });
  });

  it('gets none either when the client leaves while others are ahead', async () => {
    const memory = new ResponseMemory();
    const others = Array.from({ length: 4 }, () => memory.hold(aResponse().response, BOB, MEBIBYTE));
    const { response, context } = aResponse();
    const held = memory.hold(response, ALICE, MEBIBYTE);
    context.over();
    await expect(held).rejects.toMatchObject({ errno: 201 });
    await Promise.all(others);
  });

  it('holds up nobody', async () => {
    const one = await turnsUntil(new ResponseMemory().hold(aResponse().response, BOB, MEBIBYTE));
    const memory = new ResponseMemory();
    const gone = Array.from({ length: 200 }, () => {
      const { response, context } = aResponse();
      const held = memory.hold(response, ALICE, MEBIBYTE).catch(() => undefined);
      context.over();
      return held;
    });
    expect(await turnsUntil(memory.hold(aResponse().response, BOB, MEBIBYTE))).toBeLessThan(2 * one);
    await Promise.all(gone);
  });
});
