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
import { MAX_RECORD_BYTES } from '../protocol/fields.js';
import { EntryRunner, inGroups, type Result, type Step } from './entry-runner.js';

/** How long a batch may begin entries, so that the response comes within ten seconds even if the database is slow. */
const LONGEST_MS = 5_000;
/** After responses of this size, or of a page's if that may be larger, no further entry begins. The longest articles fit. */
const FULL_BYTES = 3_145_728;
/** After entries have run for so long, other requests go first. */
const TURN_MS = 10;

const IS_FULL = 'The responses of the batch are already too large';
const IS_SLOW = 'The batch has taken too long';

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
    const { maxPageBytes } = this.settings;
    const maxBytes = Math.max(FULL_BYTES, maxPageBytes);
    const largest = Math.max(MAX_RECORD_BYTES, maxPageBytes);
    // The last entry starts before the batch is full.
    await this.memory.take(batch, Math.min(entries.length * largest, maxBytes + largest));
    const run = new BatchRun(batch, this.runner, this.collections, maxBytes);
    const steps = await this.runner.prepare(batch, entries);
    try {
      // These may wait for anything, which must not happen while the account is locked.
      for (const step of steps) if (step.place === 'outside') run.results[step.at] = await run.runStep(step);
      await run.runGroups(inGroups(steps.filter(({ place }) => place !== 'outside')));
    } finally {
      for (const result of Object.values(run.results)) result.record();
    }
    return `{"responses":[${run.results.map(({ json }) => json).join(',')}]}`;
  }
}

class BatchRun {
  readonly results: Result[] = [];
  private readonly deadline = performance.now() + LONGEST_MS;

  constructor(
    private readonly batch: Request,
    private readonly runner: EntryRunner,
    private readonly collections: CollectionClock,
    private readonly maxBytes: number,
  ) {}

  async runGroups(groups: Step[][]): Promise<void> {
    for (const [index, group] of groups.entries())
      try {
        const done = await this.runGroup(group);
        for (const [at, step] of group.entries()) this.results[step.at] = done[at]!;
      } catch (error) {
        if (index === 0 || !(error instanceof ApiError)) throw error;
        // The groups before are committed, so their responses have to be sent.
        for (const step of groups.slice(index).flat())
          this.results[step.at] = await this.runner.refuse(this.batch, step, 'A backend became unavailable');
        return;
      }
  }

  private async runGroup(group: Step[]): Promise<Result[]> {
    const caller = callerOf(this.batch);
    const [first] = group as [Step];
    if (first.place === 'alone') {
      // Throws while the database is down: a batch that has done nothing yet is then 503 itself.
      await this.collections.latest(caller);
      return [await this.runStep(first)];
    }
    /** The responses of entries that must not run again, because what they wrote had to be undone. */
    const undone = new Map<Step, Result>();
    for (let collectsRows = true; ; collectsRows = false)
      try {
        const work = (shared: SharedChanges) => this.runInTransaction(group, undone, shared);
        return await this.collections.together(caller, collectsRows, work);
      } catch (error) {
        if (!(error instanceof MustRepeat)) throw error;
      }
  }

  private async runInTransaction(group: Step[], undone: Map<Step, Result>, shared: SharedChanges): Promise<Result[]> {
    const caller = new Caller(callerOf(this.batch).sender, this.batch.context, shared);
    const done: Result[] = [];
    let turnStart = performance.now();
    for (const step of group) {
      if (performance.now() - turnStart > TURN_MS) {
        await othersHadTurn();
        turnStart = performance.now();
      }
      const refusal = shared.isOverdue ? IS_SLOW : undefined;
      const result = undone.get(step) ?? (await this.runStep(step, refusal, caller, done));
      if (shared.mustUndoLast) undone.set(step, result);
      shared.requireIntact();
      done.push(result);
    }
    return done;
  }

  /** @param done the responses of its transaction so far */
  async runStep(step: Step, refusal?: string, caller?: Caller, done: Result[] = []): Promise<Result> {
    const { batch, runner } = this;
    if (!caller) await othersHadTurn();
    if (batch.socket.destroyed) throw new ApiError('unavailable', 'The client has disconnected');
    const before = this.results.slice(0, step.at).concat(done);
    const isFull = before.reduce((sum, { bytes }) => sum + bytes, 0) >= this.maxBytes;
    const isLate = performance.now() > this.deadline;
    const reason = refusal ?? (isFull ? IS_FULL : isLate ? IS_SLOW : undefined);
    return reason ? runner.refuse(batch, step, reason, caller) : runner.run(batch, step, caller);
  }
}
