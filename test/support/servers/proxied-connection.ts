import { connect, type Socket } from 'node:net';

/** A request to wait for: once a client sends it, its connection is cut before or after the server has received it. */
export interface Trap {
  pattern: string | RegExp;
  when: 'before' | 'after';
  sprung: () => void;
}

const LONGEST_PATTERN = 100;
const isIn = (pattern: string | RegExp, text: string): boolean =>
  typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);

/** The faults of a proxy, which apply to everything its connections forward. */
export interface ProxyFaults {
  hanging: boolean;
  delayMs: number;
  trap: Trap | undefined;
}

interface Parcel {
  dueAt: number;
  deliver: () => void;
}

/** A client of a proxy and its connection to the server. All data passes in order through one queue. */
export class ProxiedConnection {
  private readonly server: Socket;
  private readonly parcels: Parcel[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastSent = Buffer.alloc(0);
  /** Set when the server has received the request whose response is to be dropped. */
  private answerTrap: Trap | undefined;
  private closed = false;

  constructor(
    private readonly client: Socket,
    targetPort: number,
    private readonly faults: ProxyFaults,
    private readonly onClose: () => void,
  ) {
    this.server = connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.client.on('data', (chunk: Buffer) => this.post(() => this.toServer(chunk)));
    this.server.on('data', (chunk: Buffer) => this.post(() => this.toClient(chunk)));
    this.pass(this.client, this.server);
    this.pass(this.server, this.client);
  }

  /** Resets the client's connection and drops the server's. */
  cut(): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.timer);
    this.client.resetAndDestroy();
    this.server.destroy();
    this.onClose();
  }

  /** Delivers what is due. Called again whenever a fault ends. */
  flush(): void {
    clearTimeout(this.timer);
    while (!this.closed && !this.faults.hanging) {
      const [next] = this.parcels;
      if (!next) return;
      const wait = this.faults.delayMs === 0 ? 0 : next.dueAt - performance.now();
      if (wait > 0) return void (this.timer = setTimeout(() => this.flush(), wait));
      this.parcels.shift();
      next.deliver();
    }
  }

  private post(deliver: () => void): void {
    this.parcels.push({ dueAt: performance.now() + this.faults.delayMs, deliver });
    this.flush();
  }

  /** The end of one side is forwarded after its data. */
  private pass(from: Socket, to: Socket): void {
    from.on('end', () => this.post(() => to.end()));
    from.on('error', () => this.post(() => this.cut()));
    from.on('close', () => this.post(() => to.destroyed && this.cut()));
  }

  private toServer(chunk: Buffer): void {
    const trap = this.faults.trap;
    const seen = trap && isIn(trap.pattern, Buffer.concat([this.lastSent, chunk]).toString('latin1'));
    this.lastSent = trap ? Buffer.from(chunk.subarray(-LONGEST_PATTERN)) : Buffer.alloc(0);
    if (!trap || !seen) return void this.server.write(chunk);
    this.faults.trap = undefined;
    if (trap.when === 'before') return this.spring(trap);
    this.answerTrap = trap;
    this.server.write(chunk);
  }

  private toClient(chunk: Buffer): void {
    if (this.answerTrap) this.spring(this.answerTrap);
    else this.client.write(chunk);
  }

  private spring(trap: Trap): void {
    this.cut();
    trap.sprung();
  }
}
