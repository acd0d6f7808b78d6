import { type Agent, request } from 'node:http';

/** A response to the device. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { id: string; last_modified: number; items: Item[]; responses: { status: number; body: Item }[] };
}

export interface Item {
  id: string;
  last_modified: number;
  deleted?: boolean;
}

export interface DeviceOptions {
  port: number;
  agent: Agent;
  authorization: string;
  name: string;
}

/** A device with minimal state: some ids, and the timestamp of its last poll. */
export class Device {
  readonly ids: string[] = [];
  since = 0;
  private counter = 0;

  constructor(private readonly options: DeviceOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** A number that this device has not used before. */
  next(): number {
    return ++this.counter;
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const { port, agent, authorization } = this.options;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const about =
      text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const message = request({
        ...{ host: '127.0.0.1', port, agent, method, path: `/v2${path}` },
        headers: { Authorization: authorization, ...about, ...headers },
      });
      message.once('error', reject);
      message.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const answer = Buffer.concat(chunks).toString();
          const parsed = (answer === '' ? {} : JSON.parse(answer)) as Answer['body'];
          resolve({ status: response.statusCode!, headers: response.headers, body: parsed });
        });
      });
      message.end(text);
    });
  }
}
