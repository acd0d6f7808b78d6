import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DataSource } from 'typeorm';
import { Semaphore } from '../../semaphore.js';
import { type IsLast, type LoanedSession, type Parameter, type Row, type Tally, through } from '../session.js';
import { unavailable } from '../unavailable.js';
import { busy } from './session.js';

const THREADS = 2;
/** Threads for one user at a time, so that the other one stays free for everybody else. */
const MAX_PER_USER = 1;
const TIMEOUT_MS = 8_000;
const IDLE_MS = 10_000;

/**
 * The program of a thread. It is a string so that it runs both from compiled files and where TypeScript runs directly.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const handle = new (require(workerData.driver))(workerData.path, { readonly: true, fileMustExist: true, timeout: 0 });
parentPort.on('message', ({ sql, parameters }) => {
  try {
    const statement = handle.prepare(sql).raw();
    const names = statement.columns().map(({ name }) => name);
    parentPort.postMessage({ names, rows: statement.all(...parameters) });
  } catch (error) {
    parentPort.postMessage({ failure: { message: error.message, code: error.code } });
  }
});`;

type Cell = Row[string] | Uint8Array;
type Reply = { names: string[]; rows: Cell[][] } | { failure: { message: string; code: string } };

/** A thread with its own connection, which ends after some idle time. */
class Reader {
  isBusy = false;
  private worker?: Worker;
  private idle?: NodeJS.Timeout;

  constructor(private readonly path: string) {}

  async rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    this.isBusy = true;
    clearTimeout(this.idle);
    try {
      const reply = await this.ask({ sql, parameters });
      if ('failure' in reply) throw Object.assign(new Error(reply.failure.message), { code: reply.failure.code });
      return reply.rows.map((values) => toRow(reply.names, values));
    } finally {
      this.isBusy = false;
      this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  private ask(question: { sql: string; parameters: Parameter[] }): Promise<Reply> {
    const worker = (this.worker ??= this.start());
    return new Promise((done, fail) => {
      const stop = () => worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      const onMessage = (reply: Reply) => (stop(), done(reply));
      const onError = (error: Error) => {
        stop();
        this.worker = undefined;
        fail(error);
      };
      // The file was replaced, so the connection is closed: worth another try.
      const onExit = () => onError(busy());
      worker.once('message', onMessage).once('error', onError).once('exit', onExit);
      worker.postMessage(question);
    });
  }

  private start(): Worker {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3');
    const worker = new Worker(PROGRAM, { eval: true, workerData: { path: this.path, driver } });
    worker.unref();
    return worker;
  }

  async end(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }
}

function toRow(names: string[], values: Cell[]): Row {
  return Object.fromEntries(
    names.map((name, at) => {
      const value = values[at]!;
      return [name, value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value];
    }),
  );
}

/**
 * Runs reads that may scan a whole collection in threads, off the event loop. With the write-ahead log they see
 * everything that is committed.
 */
export class SqliteReaders {
  private readonly readers: Reader[];
  private readonly turns = new Semaphore({
    slotsPerKey: MAX_PER_USER,
    timeoutMs: TIMEOUT_MS,
    refusal: 'Other long reads of the same user took too long, try again later',
  });
  private readonly waiting: ((reader: Reader) => void)[] = [];

  constructor(
    path: string,
    private readonly dataSource: DataSource,
  ) {
    this.readers = Array.from({ length: THREADS }, () => new Reader(resolve(path)));
  }

  /** How many reads wait for another one of the same user. */
  get queued(): number {
    return this.turns.waiting;
  }

  /** A read-only session. */
  session(tally: Tally): LoanedSession {
    const rows = async (sql: string, parameters: Parameter[], isLast?: IsLast) => {
      tally.statements++;
      return through(await this.turns.run(tally.key ?? '', tally, () => this.read(sql, parameters)), isLast);
    };
    const refuse = () => Promise.reject(new Error('a reader cannot write'));
    const nothing = () => undefined;
    return {
      dataSource: this.dataSource,
      rows,
      row: async (sql, parameters) => (await rows(sql, parameters))[0],
      run: refuse,
      begin: refuse,
      commit: refuse,
      rollBack: refuse,
      release: nothing,
      destroy: nothing,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.end()));
  }

  private async read(sql: string, parameters: Parameter[]): Promise<Row[]> {
    const reader = await this.free();
    try {
      return await reader.rows(sql, parameters);
    } finally {
      this.waiting.shift()?.(reader);
    }
  }

  private free(): Promise<Reader> {
    const reader = this.readers.find(({ isBusy }) => !isBusy);
    if (reader) {
      reader.isBusy = true;
      return Promise.resolve(reader);
    }
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(take), 1);
        fail(unavailable(new Error('long reads of others took too long')));
      }, TIMEOUT_MS);
      const take = (free: Reader) => {
        clearTimeout(timer);
        free.isBusy = true;
        done(free);
      };
      this.waiting.push(take);
    });
  }
}
