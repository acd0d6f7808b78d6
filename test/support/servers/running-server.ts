/** What can be done to every throw-away server. */
export interface RunningServer {
  /** Undefined while the server is down. */
  readonly pid: number | undefined;
  /** Starts a server that is down, on the same port and data, and waits until it is ready; an error has the tail of its log. */
  start(): Promise<void>;
  /** Asks the server to end (SIGTERM), kills it if it has not after 15 seconds, and waits until it is gone. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, together with the processes it started, and waits until it is gone. */
  kill(): Promise<void>;
  /**
   * Sends a signal; SIGKILL, SIGSTOP and SIGCONT also go to the processes the server started. Does not wait for the
   * effect: a thread may still answer some milliseconds after SIGSTOP. Does nothing when the server is down.
   */
  signal(signal: NodeJS.Signals): void;
  /** Kills the server and removes its files. */
  remove(): Promise<void>;
}
