/** How long a failure counts that nothing has disproved. */
const MEMORY_MS = 60_000;

/**
 * What requests made of the database lately. A probe that reads is answered on a full disk, by a server that takes no writes,
 * and beside a page that cannot be read.
 */
export class DatabaseHealth {
  private writeFailed = -Infinity;
  private foundBroken = -Infinity;
  /** The damage that was seen first. */
  damage?: unknown;

  /** @param onBroken called when damage is seen that was not known */
  constructor(private readonly onBroken: (error: unknown) => void = () => undefined) {}

  /** False while writes fail or damage is known. */
  get isGood(): boolean {
    return performance.now() - Math.max(this.writeFailed, this.foundBroken) > MEMORY_MS;
  }

  noteWrite(succeeded: boolean): void {
    this.writeFailed = succeeded ? -Infinity : performance.now();
  }

  noteBroken(error: unknown): void {
    const wasKnown = this.damage !== undefined;
    this.damage ??= error;
    this.foundBroken = performance.now();
    if (!wasKnown) this.onBroken(error);
  }

  /** For a database that was opened again. */
  forget(): void {
    this.writeFailed = this.foundBroken = -Infinity;
    this.damage = undefined;
  }
}
