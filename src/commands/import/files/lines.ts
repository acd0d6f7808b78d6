import { ImportFileError } from './import-file-error.js';

/** A file's text as it arrives. */
export type TextChunks = AsyncIterable<string> | Iterable<string>;

/** The maximum length of a line, record or element in characters: anything longer is not a reading list. */
export const MAX_UNIT = 16 * 2 ** 20;

/** Splits the text after line breaks and at chunk boundaries; each piece has its line number. */
export async function* linePieces(chunks: TextChunks): AsyncGenerator<{ line: number; piece: string }> {
  let line = 1;
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf('\n', from) + 1 || chunk.length;
      const piece = chunk.slice(from, end);
      yield { line, piece };
      if (piece.endsWith('\n')) line++;
      from = end;
    }
}

/** The lines without line breaks. Throws `ImportFileError` for a line that is too long. */
export async function* wholeLines(chunks: TextChunks): AsyncGenerator<{ line: number; text: string }> {
  let [last, text] = [1, ''];
  for await (const { line, piece } of linePieces(chunks)) {
    last = line;
    text += piece;
    if (text.length > MAX_UNIT) throw new ImportFileError(line, 'too long');
    if (!piece.endsWith('\n')) continue;
    yield { line, text: text.replace(/\r?\n$/, '') };
    text = '';
  }
  if (text !== '') yield { line: last, text };
}
