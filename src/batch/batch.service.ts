import { setImmediate as othersHadTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CollectionClock } from '../accounts/collection-clock.js';
import { MustRepeat, type SharedChanges } from '../accounts/shared-changes.js';
import { Caller, callerOf } from '../auth/caller.js';
import { Settings } from '../config/settings.js';
import { MemorySlots } from '../http/memory-slots.js';
import { ApiError } from '../protocol/api-error.js';
import type { BatchEntry } from '../protocol/batch-request.js';
import { EntryRunner, inGroups, type Slot, type Step } from './entry-runner.js';

/** How long a batch waits in vain for an unavailable backend; each entry may take seconds to find that out. */
const PATIENCE_MS = 4_000;
/** After entries have run for so long, other requests go first. */
const TURN_MS = 10;

const IS_FULL = 'The responses of the batch are already too large';
const IS_SLOW = 'The batch has taken too long';
const HAS_FAILED = 'A backend was unavailable before';

/** Runs the entries of a batch one after the other, those about articles in one transaction (docs/adr/0014). */
@Injectable()
export class BatchService {
  constructor(
    private readonly runner: EntryRunner,
    private readonly collections: CollectionClock,
    private readonly memory: MemorySlots,
    private readonly settings: Settings,
  ) {}

  /** The JSON of the response. Throws 503 / 201 when the database is unavailable: then nothing has been changed. */
  async run(batch: Request, entries: BatchEntry[]): Promise<string> {
    // Twice the limit, because the last entry starts before the batch is full.
    await this.memory.take(batch, 2 * this.settings.maxPageBytes);
    const steps = await this.runner.prepare(batch, entries);
    const others = steps.filter(({ place }) => place === 'outside');
    const slots: Slot[] = [];
    try {
      // The others may wait for anything, which nothing should with the account locked.
      await this.runOthers(batch, others, slots);
      await this.runGroups(batch, inGroups(steps.filter(({ place }) => place !== 'outside')), slots);
    } finally {
      for (const slot of Object.values(slots)) slot.record();
    }
    return `{"responses":[${slots.map(({ json }) => json).join(',')}]}`;
  }

  private async runOthers(batch: Request, steps: Step[], slots: Slot[]): Promise<void> {
    let waitedMs = 0;
    for (const step of steps) {
      const refusal = waitedMs >= PATIENCE_MS ? HAS_FAILED : this.isFull(step, slots) ? IS_FULL : undefined;
      const slot = await this.runStep(batch, step, refusal);
      if (slot.status === 503) waitedMs += slot.ms;
      slots[step.at] = slot;
    }
  }

  private async runGroups(batch: Request, groups: Step[][], slots: Slot[]): Promise<void> {
    for (const [index, group] of groups.entries())
      try {
        const done = await this.runGroup(batch, group, slots);
        for (const [at, step] of group.entries()) slots[step.at] = done[at]!;
      } catch (error) {
        if (index === 0 || !(error instanceof ApiError)) throw error;
        // Those before are committed, and have to be answered.
        for (const step of groups.slice(index).flat())
          slots[step.at] = await this.runner.refuse(batch, step, HAS_FAILED);
        return;
      }
  }

  private async runGroup(batch: Request, group: Step[], slots: Slot[]): Promise<Slot[]> {
    const [first] = group as [Step];
    if (first.place === 'alone') {
      // Throws while the database is away: a batch that has done nothing yet is then 503 itself.
      await this.collections.latest(callerOf(batch));
      return [await this.runStep(batch, first, this.isFull(first, slots) ? IS_FULL : undefined)];
    }
    /** The responses of entries that must not run again, because what they wrote had to be undone. */
    const undone = new Map<Step, Slot>();
    for (let collectsRows = true; ; collectsRows = false)
      try {
        return await this.collections.together(callerOf(batch), collectsRows, (shared) =>
          this.runInTransaction(batch, group, slots, undone, shared),
        );
      } catch (error) {
        if (!(error instanceof MustRepeat)) throw error;
      }
  }

  private async runInTransaction(
    batch: Request,
    group: Step[],
    earlier: Slot[],
    undone: Map<Step, Slot>,
    shared: SharedChanges,
  ): Promise<Slot[]> {
    const caller = new Caller(callerOf(batch).sender, batch.context, shared);
    const slots: Slot[] = [];
    let turnStart = performance.now();
    for (const step of group) {
      if (performance.now() - turnStart > TURN_MS) {
        await othersHadTurn();
        turnStart = performance.now();
      }
      const refusal = this.isFull(step, earlier, slots) ? IS_FULL : shared.isOverdue ? IS_SLOW : undefined;
      const slot = undone.get(step) ?? (await this.runStep(batch, step, refusal, caller));
      if (shared.mustUndoLast) undone.set(step, slot);
      shared.requireIntact();
      slots.push(slot);
    }
    return slots;
  }

  /** Throws when the client is gone: nobody would know what was done. */
  private async runStep(batch: Request, step: Step, refusal?: string, caller?: Caller): Promise<Slot> {
    if (batch.socket.destroyed) throw new ApiError('unavailable', 'The client is gone');
    const reason = refusal ?? (performance.now() > step.deadline ? IS_SLOW : undefined);
    return reason ? this.runner.refuse(batch, step, reason, caller) : this.runner.run(batch, step, caller);
  }

  /** @param slots the responses to other steps so far, each in its place; those before this one count */
  private isFull({ at }: Step, slots: Slot[], ofTransaction: Slot[] = []): boolean {
    const before = slots.slice(0, at).concat(ofTransaction);
    return before.reduce((sum, { bytes }) => sum + bytes, 0) >= this.settings.maxPageBytes;
  }
}
