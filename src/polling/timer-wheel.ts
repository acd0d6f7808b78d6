/** How late an item may end. */
export const TICK_MS = 100;

/** Items with a deadline, in slots of one tick, so that the owner needs a single timer for all. */
export class TimerWheel<Item> {
  private readonly slots = new Map<number, Set<Item>>();
  private readonly slotOf = new Map<Item, number>();
  private last: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: number) {
    this.last = Math.floor(now / TICK_MS);
  }

  add(item: Item, deadline: number): void {
    const slot = Math.max(Math.ceil(deadline / TICK_MS), this.last + 1);
    const items = this.slots.get(slot) ?? new Set<Item>();
    this.slots.set(slot, items.add(item));
    this.slotOf.set(item, slot);
  }

  delete(item: Item): void {
    const slot = this.slotOf.get(item);
    if (slot === undefined) return;
    this.slotOf.delete(item);
    const items = this.slots.get(slot)!;
    items.delete(item);
    if (items.size === 0) this.slots.delete(slot);
  }

  /** Removes and returns the items whose deadline has passed, never early. */
  takeDue(now: number): Item[] {
    const due: Item[] = [];
    for (const until = Math.floor(now / TICK_MS); this.last < until;) {
      const items = this.slots.get(++this.last);
      if (!items) continue;
      this.slots.delete(this.last);
      for (const item of items) {
        this.slotOf.delete(item);
        due.push(item);
      }
    }
    return due;
  }
}
