import { setTimeout as sleep } from 'node:timers/promises';
import { LoadConnection, type Outcome } from './connection.js';
import { type Job, type JobResult, quantile } from './job.js';
import { type Operation, operationNamed } from './operations.js';

/* The process that makes the load: gets jobs from its parent, sends back what came of each. */
process.on('message', (job: Job) => {
  new Run(job).result().then(
    (result) => process.send!(result),
    (error: unknown) => process.send!({ failure: String(error) }),
  );
});

/** Sent on each connection before the clock starts, so that opening connections is not measured. */
const GREETING = Buffer.from('GET /__lbheartbeat__ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');

/** Runs a job: connections that send one request after the other until the time is up or the requests run out. */
class Run {
  private readonly operation: Operation;
  private readonly latencies: number[] = [];
  private readonly sinceSent: number[] = [];
  private readonly counters = new Map<string, number>();
  private start = 0;
  private last = 0;
  private sent = 0;
  private errors = 0;
  private refused = 0;
  private firstError?: string;

  constructor(private readonly job: Job) {
    this.operation = operationNamed(job.operation);
  }

  async result(): Promise<JobResult> {
    const connections = Array.from({ length: this.job.connections }, () => new LoadConnection(this.job.port));
    await Promise.all(connections.map((connection) => connection.send(GREETING)));
    this.start = this.last = performance.now();
    await Promise.all(connections.map((connection, at) => this.work(connection, at)));
    const sorted = Float64Array.from(this.latencies).sort();
    const sinceSent = Float64Array.from(this.sinceSent).sort();
    const seconds = (this.last - this.start) / 1000;
    return {
      requests: sorted.length + this.errors + this.refused,
      errors: this.errors,
      refused: this.refused,
      perSecond: sorted.length / seconds,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      sent: { p50: quantile(sinceSent, 0.5), p99: quantile(sinceSent, 0.99) },
      mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
      firstError: this.firstError,
    };
  }

  private async work(connection: LoadConnection, at: number): Promise<void> {
    const { connections, ratePerSecond } = this.job;
    const pauseMs = ratePerSecond ? (connections * 1000) / ratePerSecond : 0;
    let due = this.start + (pauseMs * at) / connections;
    for (let message = this.next(at); message; message = this.next(at)) {
      const early = pauseMs > 0 ? due - performance.now() : 0;
      if (early > 0) await sleep(early);
      due += pauseMs;
      // A request that had to wait for the previous response was sent late because of the server.
      this.count(await connection.send(message), Math.max(0, -early));
    }
    connection.close();
  }

  private next(at: number): Buffer | undefined {
    const { job } = this;
    if (performance.now() > this.start + job.seconds * 1000 || this.sent >= (job.requests ?? Infinity))
      return undefined;
    const user = job.users[at % job.users.length]!;
    const n = this.counters.get(user.account) ?? 0;
    const message = this.operation.request(user, n, job);
    this.counters.set(user.account, n + 1);
    if (message) this.sent++;
    return message;
  }

  private count({ status, milliseconds, head }: Outcome, lateMs: number): void {
    this.last = performance.now();
    const wanted = this.operation.status;
    if (wanted === undefined ? status < 400 : status === wanted) {
      this.latencies.push(milliseconds + lateMs);
      this.sinceSent.push(milliseconds);
    } else if (status === 503) this.refused++;
    else {
      this.errors++;
      this.firstError ??= head.split('\r\n')[0];
    }
  }
}
