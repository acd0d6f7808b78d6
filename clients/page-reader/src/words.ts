const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
const EXCERPT_WORDS = 200;
const EXCERPT_LENGTH = 16_000;
/** V8 takes time that grows with the square of the length of a text. */
const PIECE_LENGTH = 2_000;

/** Counts the words of paragraphs, also of languages that do not separate them, and takes the first 200 for the excerpt. */
export function countWords(paragraphs: readonly string[]): { words: number; excerpt: string } {
  let words = 0;
  const excerpt: string[] = [];
  for (const paragraph of paragraphs) {
    const isInExcerpt = words < EXCERPT_WORDS;
    let end = paragraph.length;
    for (const word of wordsIn(paragraph)) if (++words === EXCERPT_WORDS) end = word.end;
    if (isInExcerpt) excerpt.push(paragraph.slice(0, end));
  }
  return { words, excerpt: excerpt.join('\n').slice(0, EXCERPT_LENGTH) };
}

/** The words of a paragraph, from where to where. */
export function* wordsIn(paragraph: string): Generator<{ start: number; end: number }> {
  for (const { start, piece } of piecesOf(paragraph))
    for (const { index, segment, isWordLike } of segmenter.segment(piece))
      if (isWordLike) yield { start: start + index, end: start + index + segment.length };
}

/** A long paragraph is cut between words, where there are spaces. */
function* piecesOf(paragraph: string): Generator<{ start: number; piece: string }> {
  for (let start = 0, end = 0; start < paragraph.length; start = end) {
    end = start + PIECE_LENGTH;
    if (end < paragraph.length) end = Math.max(paragraph.lastIndexOf(' ', end), start + PIECE_LENGTH / 2);
    yield { start, piece: paragraph.slice(start, end) };
  }
}
