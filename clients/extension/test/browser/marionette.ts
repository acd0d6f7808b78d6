import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Marionette's name for the reference to an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

/**
 * A connection to Firefox by Marionette, its own remote protocol: the commands of WebDriver, each as `LENGTH:[0, ID, NAME, PARAMETERS]`.
 * Unlike WebDriver, it installs extensions, and runs scripts in the browser's own window.
 * https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
 */
export class Marionette {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #received = Buffer.alloc(0);
  #last = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox has ended'));
    });
  }

  static async connect(port: number): Promise<Marionette> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Marionette(socket);
  }

  send<T>(name: string, parameters: object = {}): Promise<T> {
    const id = ++this.#last;
    const message = JSON.stringify([0, id, name, parameters]);
    const result = new Promise<T>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    return result;
  }

  /** Runs the body of an asynchronous function in the page. */
  async inPage<T>(body: string, ...values: unknown[]): Promise<T> {
    const script = `const done = arguments[arguments.length - 1];
      (async (...values) => { ${body} })(...[...arguments].slice(0, -1))
        .then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value: outcome } = await this.send<{ value: { value: T; error?: string } }>(
      'WebDriver:ExecuteAsyncScript',
      {
        script,
        args: values,
      },
    );
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.value;
  }

  /** The same in the browser's own window, which has everything that Firefox consists of. */
  async inBrowser<T>(body: string, ...values: unknown[]): Promise<T> {
    await this.send('Marionette:SetContext', { value: 'chrome' });
    try {
      return await this.inPage<T>(body, ...values);
    } finally {
      await this.send('Marionette:SetContext', { value: 'content' });
    }
  }

  /** Waits for an element of the page. @param path in XPath */
  async find(path: string): Promise<string> {
    const { value } = await this.send<{ value: Record<string, string> }>('WebDriver:FindElement', {
      using: 'xpath',
      value: path,
    });
    return value[ELEMENT]!;
  }

  async click(path: string): Promise<void> {
    await this.send('WebDriver:ElementClick', { id: await this.find(path) });
  }

  async type(path: string, text: string): Promise<void> {
    const id = await this.find(path);
    await this.send('WebDriver:ElementClear', { id });
    await this.send('WebDriver:ElementSendKeys', { id, text });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let colon = this.#received.indexOf(':'); colon > 0; colon = this.#received.indexOf(':')) {
      const end = colon + 1 + Number(this.#received.subarray(0, colon));
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.subarray(colon + 1, end).toString()) as unknown;
      this.#received = this.#received.subarray(end);
      // The first message says which protocol it is.
      if (Array.isArray(message)) this.#settle(...(message as [number, number, { message: string } | null, never]));
    }
  }

  #settle(_type: number, id: number, error: { message: string } | null, result: never): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}
