/** A request, alone or in a batch. */
export interface Request {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** The response to a request that is not carried out. */
export interface Failure {
  status: number;
  errno?: number;
  message?: string;
  headers?: Record<string, string>;
}

/**
 * A network that responds itself to some requests, which never reach the service: also to those in a batch, whose others
 * do.
 */
export function failing(failureOf: (request: Request) => Failure | undefined): typeof globalThis.fetch {
  const bodyOf = ({ status, errno = 999, message = 'no' }: Failure) => ({ code: status, errno, error: 'E', message });
  return async (input, init) => {
    const { pathname, search } = new URL(input as string);
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : undefined;
    if (!pathname.endsWith('/batch')) {
      const failure = failureOf({ method: init!.method!, path: pathname.slice('/v2'.length) + search, body });
      return failure ? Response.json(bodyOf(failure), failure) : fetch(input, init);
    }
    const requests = (body as { requests: Request[] }).requests;
    const passed = requests.filter((request) => !failureOf(request));
    const response = await fetch(input, { ...init, body: JSON.stringify({ requests: passed }) });
    if (passed.length > 0 && response.status !== 200) return response;
    const { responses = [] } = (await response.json()) as { responses?: object[] };
    const all = requests.map((request) => {
      const failure = failureOf(request);
      return failure ? { ...failure, body: bodyOf(failure) } : responses.shift();
    });
    return Response.json({ responses: all });
  };
}
