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

/** One job: connections that send one request after the other until the time or the supply is over. */
class Run {
  private readonly operation: Operation;
  private readonly latencies: number[] = [];
  private readonly sinceSent: number[] = [];
  private readonly counters = new Map<string, number>();
  private readonly start = performance.now();
  private last = this.start;
  private sent = 0;
  private errors = 0;
  private refused = 0;
  private firstError?: string;

  constructor(private readonly job: Job) {
    this.operation = operationNamed(job.operation);
  }

  async result(): Promise<JobResult> {
    await Promise.all(Array.from({ length: this.job.connections }, (_, at) => this.connection(at)));
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

  private connection(at: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const connection = new LoadConnection(this.job.port, reject);
      const { connections, ratePerSecond } = this.job;
      const pauseMs = ratePerSecond ? (connections * 1000) / ratePerSecond : 0;
      let due = this.start + (pauseMs * at) / connections;
      const step = () => {
        const message = this.next(at);
        if (!message) {
          connection.close();
          resolve();
          return;
        }
        const lateMs = pauseMs > 0 ? performance.now() - due : 0;
        if (lateMs < 0) setTimeout(send, -lateMs, message, 0);
        else send(message, lateMs);
      };
      // What had to wait for the answer before it was sent late, and that is the server's doing.
      const send = (message: Buffer, lateMs: number) => {
        due += pauseMs;
        connection.send(message, (outcome) => {
          this.count(outcome, lateMs);
          step();
        });
      };
      step();
    });
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
