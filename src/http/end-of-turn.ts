/**
 * A function that remembers its calls and makes them one after the other once the event loop has read what all sockets had.
 * Work of one kind done in one go costs a third to a half less than the same work with system calls in between: processors
 * forget what they learnt at each of them, and who waits on the other side is woken once instead of time and again.
 */
export function atEndOfTurn<Call extends unknown[]>(action: (...call: Call) => void): (...call: Call) => void {
  let calls: Call[] = [];
  const make = (): void => {
    const due = calls;
    calls = [];
    for (const call of due) action(...call);
  };
  return (...call) => {
    if (calls.length === 0) setImmediate(make);
    calls.push(call);
  };
}
