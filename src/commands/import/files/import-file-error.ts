/** A file that cannot be read on; the message is one line that names the line of the file. */
export class ImportFileError extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
  }
}
