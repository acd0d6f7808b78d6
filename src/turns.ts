import { setImmediate as othersHadTurn } from 'node:timers/promises';

/** Gives each caller a turn of the event loop of its own, in order of arrival, for work that is long and synchronous. */
export class Turns {
  private latest: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    return (this.latest = this.latest.then(() => othersHadTurn()));
  }
}
