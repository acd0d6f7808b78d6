import fc from 'fast-check';
import { expect, it } from 'vitest';
import { basic, deviceArticles, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld();

/** What the user does, and what becomes of the sync: `in flight` does the rest up to the next step while it is sent. */
type Step = 'read' | 'unread' | number | 'sync' | 'in flight' | 'lost' | 'never sent';

const steps = fc.array(
  fc.constantFrom<Step>('read', 'unread', 'unread', 10, 40, 60, 'sync', 'in flight', 'lost', 'never sent'),
  { minLength: 2, maxLength: 9, size: 'max' },
);

interface Expected {
  unread: boolean;
  read_position: number;
}

/** The states of the service (docs/protocol.md, "States"), if each step were sent at once. */
function after({ unread, read_position }: Expected, step: Step): Expected {
  if (step === 'read') return { unread: false, read_position };
  if (step === 'unread') return unread ? { unread, read_position } : { unread: true, read_position: 0 };
  return { unread, read_position: typeof step === 'number' ? Math.max(step, read_position) : read_position };
}

async function replay(history: Step[]): Promise<void> {
  const user = basic();
  let mode: Step = 'sync';
  let onFlight = () => Promise.resolve();
  const { list } = await openDevice(world.url, user, {}, async (input, init) => {
    const isWrite = init!.method !== 'GET';
    if (isWrite && mode === 'never sent') throw new TypeError('cut before');
    const response = await fetch(input, init);
    if (isWrite && mode === 'in flight') await onFlight();
    if (isWrite && mode === 'lost') throw new TypeError('cut after');
    return response;
  });
  const { key } = await list.add({ url: 'https://example.com/', title: 'T' });
  let expected: Expected = { unread: true, read_position: 0 };
  const act = async (step: Step) => {
    if (step === 'read') await list.markRead(key);
    else if (step === 'unread') await list.markUnread(key);
    else if (typeof step === 'number') await list.setReadPosition(key, step);
    else return false;
    expected = after(expected, step);
    expect(await list.get({ key }), `after ${step}`).toMatchObject(expected);
    return true;
  };
  const left = [...history];
  for (let step = left.shift(); step !== undefined; step = left.shift()) {
    if (await act(step)) continue;
    mode = step;
    onFlight = async () => {
      onFlight = () => Promise.resolve();
      while (left.length > 0 && (await act(left[0]!))) left.shift();
    };
    await list.sync().catch(() => undefined);
    expect(await list.get({ key }), `after ${step}`).toMatchObject(expected);
  }
  mode = 'sync';
  await list.sync();
  await list.sync();
  const server = await serverArticles(world.url, user);
  expect(server).toMatchObject([expected]);
  expect(await deviceArticles(list)).toEqual(server);
  await list.close();
}

it.each<{ history: Step[] }>([
  { history: [60, 'in flight', 'unread', 'sync'] },
  { history: ['sync', 60, 'in flight', 'read', 'unread'] },
  { history: ['sync', 60, 'lost', 'read', 'unread'] },
  { history: ['sync', 60, 'read', 'sync', 60, 'lost', 'unread'] },
  { history: [40, 'read', 'sync', 60, 'lost', 'unread'] },
  { history: [40, 'read', 'sync', 'unread', 10, 'read'] },
  { history: [40, 'read', 'sync', 'unread', 'in flight', 10, 'read'] },
  { history: [40, 'sync', 'read', 'unread', 10, 'read'] },
  { history: [40, 'read', 'lost', 'unread', 10, 'read'] },
])('a device shows the state and position that the service gets after $history', ({ history }) => replay(history));

it('a device shows at every step what the service would have, and both agree in the end', () =>
  fc.assert(fc.asyncProperty(steps, replay), { numRuns: Number(process.env.CLIENT_HISTORIES ?? 250) }));
