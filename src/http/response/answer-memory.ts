import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../protocol/api-error.js';
import { contextOf } from '../request/request-context.js';

/** Bytes of JSON that heavy answers may take together, from before they are read until their clients have them. */
const ALL_BYTES = 33_554_432;
/** What is for one user of that. */
const USER_BYTES = 8_388_608;
const TIMEOUT_MS = 4_000;
/** Answers of one user that may wait: with many more of them the service would count as full for everybody. */
const USER_WAITING = 100;

/** Who waits finds out this often whether somebody's client takes its time. */
const LOOK_MS = 250;
/** So long a client may let everybody wait who wants room. */
const PATIENCE_MS = 2_000;

/**
 * Turns of the event loop from one heavy answer to the next. In each turn it takes one new connection, of whoever: with heavy
 * work in every turn a device would wait for all who came before it.
 */
const TURNS_BETWEEN = 16;

/** Several answers that are one for the client, as those in a batch: they have their room together. */
export class SharedRoom {
  taken?: Promise<void>;

  /** @param bytes that they take together at most */
  constructor(
    readonly response: ServerResponse,
    readonly bytes: number,
  ) {}
}

/** Who has room; times in milliseconds on a clock that never goes back. */
interface Holder {
  response: ServerResponse;
  takenAt: number;
  answeredAt?: number;
}

interface Waiting {
  key: string;
  bytes: number;
  resolve: () => void;
}

/**
 * Lets in as many heavy answers at a time as memory has room for, and not all of one user. A single one is let in however heavy
 * it is, so that nobody waits forever. Who has no room at all comes first, and while he waits the connections of the slowest clients
 * are closed one by one: a few that read next to nothing would keep all of it.
 */
@Injectable()
export class AnswerMemory {
  private total = 0;
  private readonly users = new Map<string, number>();
  private readonly holders = new Set<Holder>();
  private queue: Waiting[] = [];
  /** Runs while somebody waits. */
  private looking?: NodeJS.Timeout;
  private readonly shared = new WeakMap<ServerResponse, SharedRoom>();
  private last = Promise.resolve();

  /**
   * Waits for room, which is given back when the response or its connection closes. Rejects with 503 / 201 when there is none
   * for some seconds, or too many of the user wait already; what shares its room is refused as a whole.
   */
  hold(response: ServerResponse, account: Buffer, bytes: number): Promise<void> {
    const room = this.shared.get(response);
    if (!room) return this.holdAlone(response, account, bytes);
    return (room.taken ??= this.holdAlone(room.response, account, Math.max(bytes, room.bytes)));
  }

  /** To be called before anything is held for `response`, which is a part of what the room is for. */
  share(response: ServerResponse, room: SharedRoom): void {
    this.shared.set(response, room);
  }

  private async holdAlone(response: ServerResponse, account: Buffer, bytes: number): Promise<void> {
    const key = account.toString('latin1');
    if (this.hasRoom(key, bytes)) this.take(key, bytes);
    else await this.turn(key, bytes);
    this.giveBackAtEnd(response, key, bytes);
    await (this.last = this.last.then(someTurns));
  }

  /** Counts what is in memory already, whether or not there is room. */
  add(response: ServerResponse, account: Buffer, bytes: number): void {
    const key = account.toString('latin1');
    this.take(key, bytes);
    this.giveBackAtEnd(response, key, bytes);
  }

  /** Since when it is the client who keeps the room; undefined while it is the service. */
  protected clientKeepsSince({ answeredAt }: Holder): number | undefined {
    return answeredAt;
  }

  private giveBackAtEnd(response: ServerResponse, key: string, bytes: number): void {
    const context = contextOf(response)!;
    const holder: Holder = { response, takenAt: performance.now() };
    this.holders.add(holder);
    context.whenAnswered(() => (holder.answeredAt = performance.now()));
    context.whenOver(() => {
      this.holders.delete(holder);
      this.giveBack(key, bytes);
    });
  }

  private hasRoom(key: string, bytes: number): boolean {
    const ofUser = this.users.get(key) ?? 0;
    const isRoomForUser = ofUser === 0 || ofUser + bytes <= USER_BYTES;
    return isRoomForUser && (this.total === 0 || this.total + bytes <= ALL_BYTES);
  }

  private take(key: string, bytes: number): void {
    this.total += bytes;
    this.users.set(key, (this.users.get(key) ?? 0) + bytes);
  }

  private turn(key: string, bytes: number): Promise<void> {
    if (this.queue.filter((waiting) => waiting.key === key).length >= USER_WAITING) return Promise.reject(noRoom());
    return new Promise((resolve, reject) => {
      const waiting = { key, bytes, resolve: () => (clearTimeout(timer), resolve()) };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(noRoom());
      }, TIMEOUT_MS);
      this.queue.push(waiting);
      this.looking ??= setInterval(() => this.closeSlowest(), LOOK_MS).unref();
    });
  }

  private closeSlowest(): void {
    if (this.queue.length === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
      return;
    }
    if (this.queue.every(({ key }) => this.users.has(key))) return;
    const latest = performance.now() - PATIENCE_MS;
    const since = (holder: Holder) => this.clientKeepsSince(holder) ?? Infinity;
    const slow = [...this.holders].filter((holder) => since(holder) < latest);
    slow.sort((a, b) => since(a) - since(b))[0]?.response.destroy();
  }

  private giveBack(key: string, bytes: number): void {
    this.total -= bytes;
    const left = this.users.get(key)! - bytes;
    if (left === 0) this.users.delete(key);
    else this.users.set(key, left);
    const hasSome = ({ key: other }: Waiting) => Number(this.users.has(other));
    this.queue.sort((a, b) => hasSome(a) - hasSome(b));
    this.queue = this.queue.filter((waiting) => {
      if (!this.hasRoom(waiting.key, waiting.bytes)) return true;
      this.take(waiting.key, waiting.bytes);
      waiting.resolve();
      return false;
    });
  }
}

/** Resolves after some turns of the event loop. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The same for bodies of requests: who holds one may need room for an answer as well. */
@Injectable()
export class BodyMemory extends AnswerMemory {
  protected override clientKeepsSince({ response, takenAt }: Holder): number | undefined {
    return response.req.complete ? undefined : takenAt;
  }
}

const noRoom = (): ApiError => new ApiError('unavailable', 'Too many large requests are under way, try again later');
