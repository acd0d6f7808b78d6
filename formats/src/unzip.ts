import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { ReadError } from './read-error.js';

const MAX_FILES = 100_000;
const MAX_BYTES = 256 * 2 ** 20;
/** No export is packed as tightly as this; what is small may be. */
const MAX_RATIO = 200;
const SMALL_BYTES = 2 ** 20;
/** How much is unpacked between two checks of the total. */
const PIECE_BYTES = 16_384;

export interface ZippedFile {
  name: string;
  bytes: Uint8Array;
}

export const isZip = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(0, 4)) === 'PK\u0003\u0004';

/**
 * The files of an archive that are wanted, and the names of the others. Throws a `ReadError` for an archive that is damaged or would
 * become too large, as soon as that shows.
 */
export function unzip(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): { files: ZippedFile[]; others: string[] } {
  if (isEncrypted(bytes)) throw new ReadError('the archive is encrypted');
  const files: ZippedFile[] = [];
  const others: string[] = [];
  const limits = new Limits(bytes.length);
  let wanted = 0;
  const unzipper = new Unzip((file) => {
    limits.countFile();
    if (file.name.endsWith('/')) return;
    if (!isWanted(file.name)) return void others.push(file.name);
    wanted++;
    collect(file, files, limits);
  });
  unzipper.register(UnzipInflate);
  try {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      unzipper.push(bytes.subarray(from, from + PIECE_BYTES), from + PIECE_BYTES >= bytes.length);
  } catch (error) {
    throw error instanceof ReadError ? error : damaged();
  }
  if (files.length < wanted || endOf(bytes) === undefined) throw damaged();
  return { files, others };
}

const damaged = () => new ReadError('the archive is damaged or packed in an unusual way');

/** Where the end record of the archive is, which is followed by a comment at most (APPNOTE, section 4.3.16). */
function endOf(bytes: Uint8Array): number | undefined {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 65_557); at--)
    if (bytes[at] === 0x50 && bytes[at + 1] === 0x4b && bytes[at + 2] === 5 && bytes[at + 3] === 6) return at;
  return undefined;
}

/** Whether a file of the directory has the flag of encryption (APPNOTE, sections 4.3.12 and 4.4.4). */
function isEncrypted(bytes: Uint8Array): boolean {
  const end = endOf(bytes);
  if (end === undefined) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    if (view.getUint16(at + 8, true) & 1) return true;
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return false;
}

function collect(file: UnzipFile, files: ZippedFile[], limits: Limits): void {
  const pieces: Uint8Array[] = [];
  file.ondata = (error, piece, isLast) => {
    if (error) throw error;
    limits.countBytes(piece.length);
    pieces.push(piece.slice());
    if (isLast) files.push({ name: file.name, bytes: joined(pieces) });
  };
  file.start();
}

class Limits {
  private files = 0;
  private bytes = 0;

  constructor(private readonly packedBytes: number) {}

  countFile(): void {
    if (++this.files > MAX_FILES) throw new ReadError('the archive has too many files');
  }

  countBytes(count: number): void {
    this.bytes += count;
    const isTooDense = this.bytes > SMALL_BYTES && this.bytes > this.packedBytes * MAX_RATIO;
    if (isTooDense || this.bytes > MAX_BYTES) throw new ReadError('the archive becomes too large when it is unpacked');
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
