import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atEndOfTurn } from '../../src/http/server/end-of-turn.js';

it('makes the calls of a turn together, in their order, after everything else that the turn had to do', async () => {
  const made: string[] = [];
  const note = atEndOfTurn((text: string, number: number) => void made.push(`${text} ${number}`));
  note('first', 1);
  await Promise.resolve();
  note('second', 2);
  process.nextTick(() => made.push('tick'));
  expect(made).toEqual([]);
  await nextTurn();
  expect(made).toEqual(['tick', 'first 1', 'second 2']);
});

it('makes a call that comes of another one in the next turn, so that no turn lasts forever', async () => {
  const made: number[] = [];
  const count = atEndOfTurn((number: number) => {
    made.push(number);
    if (number < 3) count(number + 1);
  });
  count(1);
  await nextTurn();
  expect(made).toEqual([1]);
  await nextTurn();
  await nextTurn();
  expect(made).toEqual([1, 2, 3]);
});

it('goes on in the next turn when there are many', async () => {
  const made: number[] = [];
  const note = atEndOfTurn((number: number) => void made.push(number));
  const numbers = Array.from({ length: 50 }, (_, at) => at);
  numbers.forEach((number) => note(number));
  await nextTurn();
  expect(made).toEqual(numbers.slice(0, 32));
  note(50);
  await nextTurn();
  expect(made).toEqual([...numbers, 50]);
});
