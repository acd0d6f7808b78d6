/**
 * An answer whose status or headers a handler decides. A handler that returns anything else answers 200 with it as JSON.
 * `body` undefined: no body (304). Text that is JSON already goes out as it is when wrapped in `RawJson`.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A body that is serialised already. */
export class RawJson {
  constructor(readonly text: string) {}
}
