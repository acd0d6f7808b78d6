/** Requests of one Basic user, as raw bytes. */
export class Requests {
  private readonly credentials: string;

  constructor(private readonly name: string) {
    this.credentials = Buffer.from(`${name}:secret`).toString('base64');
  }

  /** A request for the collection's timestamp. */
  count(): Buffer {
    return this.message('HEAD', []);
  }

  /** A poll for changes after `since`, optionally waiting. */
  poll(since: number, waitSeconds?: number): Buffer {
    const prefer = waitSeconds === undefined ? [] : [`Prefer: wait=${waitSeconds}`];
    return this.message('GET', [`If-Modified-Since: ${since}`, ...prefer], `?_since=${since}`);
  }

  create(n: number): Buffer {
    const url = `https://example.com/${this.name}/${n}`;
    const body = JSON.stringify({ url, title: 'An article', added_by: 'benchmark' });
    return this.message('POST', [`Content-Length: ${body.length}`], '', body);
  }

  private message(method: string, headers: string[], query = '', body = ''): Buffer {
    const common = ['Host: 127.0.0.1', `Authorization: Basic ${this.credentials}`];
    const head = [`${method} /v2/articles${query} HTTP/1.1`, ...common, ...headers];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
}

/** The timestamp in the headers of a response. */
export const lastModified = (head: string): number => Number(/\r\nlast-modified: *(\d+)/i.exec(head)![1]);
