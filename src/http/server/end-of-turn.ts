/** As many calls are made in a turn at most, so that the first of many does not wait for the last. */
const MOST_IN_A_TURN = 32;

/**
 * A function that remembers its calls and makes them one after the other once the event loop has read what all sockets had.
 * Work of one kind done in one go costs a third to a half less than the same work with system calls in between: processors
 * forget what they learnt at each of them, and who waits on the other side is woken once instead of time and again.
 */
export function atEndOfTurn<Call extends unknown[]>(action: (...call: Call) => void): (...call: Call) => void {
  const calls: Call[] = [];
  const make = (): void => {
    const due = calls.splice(0, MOST_IN_A_TURN);
    if (calls.length > 0) setImmediate(make);
    for (const call of due) action(...call);
  };
  return (...call) => {
    if (calls.length === 0) setImmediate(make);
    calls.push(call);
  };
}
