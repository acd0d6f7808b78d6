/** How long a failed write counts unless another one succeeds: a disk has room again without anybody writing. */
const FAILED_WRITE_MS = 10_000;
/** How long corruption counts after it was last found. */
const BROKEN_MS = 60_000;

/**
 * The recent experience of requests with the database. A read-only probe would succeed on a full disk, on a server that
 * refuses writes, and if only some pages are unreadable.
 */
export class DatabaseHealth {
  private writeFailed = -Infinity;
  private foundBroken = -Infinity;
  /** The first error of a corrupt file. */
  damage?: Error;

  /** False while writes fail or corruption is known. */
  get isGood(): boolean {
    const now = performance.now();
    return now - this.writeFailed > FAILED_WRITE_MS && now - this.foundBroken > BROKEN_MS;
  }

  noteWrite(succeeded: boolean): void {
    this.writeFailed = succeeded ? -Infinity : performance.now();
  }

  noteBroken(corruption?: Error): void {
    this.damage ??= corruption;
    this.foundBroken = performance.now();
  }
}
