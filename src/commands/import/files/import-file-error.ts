/** The file is invalid; the message is one line with the line number. */
export class ImportFileError extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
  }
}
