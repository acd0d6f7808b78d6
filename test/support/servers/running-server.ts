/** The common operations of all throw-away servers. */
export interface RunningServer {
  /** Undefined while the server is down. */
  readonly pid: number | undefined;
  /**
   * Restarts a server on the same port and data, and waits until it is ready; an error contains the tail of its log.
   */
  start(): Promise<void>;
  /** Sends SIGTERM, kills the server if it has not ended after 15 seconds, and waits until it is gone. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, together with the processes it started, and waits until it is gone. */
  kill(): Promise<void>;
  /**
   * Sends a signal; SIGKILL, SIGSTOP and SIGCONT also go to the server's child processes. Does not wait for the effect:
   * a thread may still respond some milliseconds after SIGSTOP. Does nothing if the server is down.
   */
  signal(signal: NodeJS.Signals): void;
  /** Kills the server and removes its files. */
  remove(): Promise<void>;
}
