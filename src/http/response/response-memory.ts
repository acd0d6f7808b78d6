import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../protocol/api-error.js';
import { contextOf } from '../request/request-context.js';

/** Bytes of JSON that all heavy responses together may take, from before they are read until they are delivered. */
const ALL_BYTES = 33_554_432;
/** The share of one user. */
const USER_BYTES = 8_388_608;
const TIMEOUT_MS = 4_000;
/** How many responses of one user may wait: many more would make the service full for everybody. */
const USER_WAITING = 100;

/** How often to check for slow clients while something waits. */
const CHECK_MS = 250;
/** How long a slow client may keep others waiting. */
const PATIENCE_MS = 2_000;

/**
 * Turns of the event loop between two heavy responses. A turn accepts only one new connection: with heavy work in every
 * turn, a device would wait for everybody who connected before it.
 */
const TURNS_BETWEEN = 16;

/** A reservation that several responses share because they are one to the client, such as those of a batch. */
export class SharedRoom {
  taken?: Promise<void>;

  /** @param bytes the most that they take together */
  constructor(
    readonly response: ServerResponse,
    readonly bytes: number,
  ) {}
}

/** A response with reserved memory; times in milliseconds of a monotonic clock. */
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
 * Admits as many heavy responses at a time as fit into memory, with a limit per user. A single one is admitted whatever
 * its size, so that nobody waits forever. Users who hold nothing come first, and while one of them waits, the
 * connections of the slowest clients are closed one by one: a few clients that hardly read could otherwise keep all of
 * it.
 */
@Injectable()
export class ResponseMemory {
  private total = 0;
  private readonly users = new Map<string, number>();
  private readonly holders = new Set<Holder>();
  private queue: Waiting[] = [];
  /** Runs while something waits. */
  private checking?: NodeJS.Timeout;
  private readonly shared = new WeakMap<ServerResponse, SharedRoom>();
  private last = Promise.resolve();

  /**
   * Waits until memory is reserved; it is released when the response or its connection closes. Rejects with 503 / 201
   * when none becomes free for some seconds, too many responses of the user are waiting, or the client is gone. Responses
   * that share a reservation are refused together.
   */
  hold(response: ServerResponse, account: Buffer, bytes: number): Promise<void> {
    const room = this.shared.get(response);
    if (!room) return this.holdAlone(response, account, bytes);
    return (room.taken ??= this.holdAlone(room.response, account, Math.max(bytes, room.bytes)));
  }

  /** Lets `response` use a shared reservation; call it before `hold`. */
  share(response: ServerResponse, room: SharedRoom): void {
    this.shared.set(response, room);
  }

  private async holdAlone(response: ServerResponse, account: Buffer, bytes: number): Promise<void> {
    const key = account.toString('latin1');
    if (this.hasRoom(key, bytes)) this.take(key, bytes);
    else await this.turn(key, bytes);
    const holder = this.giveBackAtEnd(response, key, bytes);
    const isNeeded = (): boolean => this.holders.has(holder);
    // Clients who leave at once release their memory at once, so any number of them could line up here.
    if (isNeeded()) await (this.last = this.last.then(() => (isNeeded() ? afterSomeTurns() : undefined)));
    if (!isNeeded()) throw noRoom();
  }

  /** Counts bytes that are already in memory, even beyond the limit. */
  add(response: ServerResponse, account: Buffer, bytes: number): void {
    const key = account.toString('latin1');
    this.take(key, bytes);
    this.giveBackAtEnd(response, key, bytes);
  }

  /** Since when the client is the one to keep the memory; undefined while the service does. */
  protected clientKeepsSince({ answeredAt }: Holder): number | undefined {
    return answeredAt;
  }

  private giveBackAtEnd(response: ServerResponse, key: string, bytes: number): Holder {
    const context = contextOf(response)!;
    const holder: Holder = { response, takenAt: performance.now() };
    this.holders.add(holder);
    context.whenAnswered(() => (holder.answeredAt = performance.now()));
    context.whenOver(() => {
      this.holders.delete(holder);
      this.giveBack(key, bytes);
    });
    return holder;
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
      this.checking ??= setInterval(() => this.closeSlowest(), CHECK_MS).unref();
    });
  }

  private closeSlowest(): void {
    if (this.queue.length === 0) {
      clearInterval(this.checking);
      this.checking = undefined;
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

async function afterSomeTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * The same for request bodies, counted separately because a request with a body may also need memory for its response.
 */
@Injectable()
export class BodyMemory extends ResponseMemory {
  protected override clientKeepsSince({ response, takenAt }: Holder): number | undefined {
    return response.req.complete ? undefined : takenAt;
  }
}

const noRoom = (): ApiError => new ApiError('unavailable', 'Too many large requests are under way, try again later');
