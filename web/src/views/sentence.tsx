import type { JSX } from 'preact';

/** Stands for the title in a sentence; it is in no text of the application. */
const PLACE = '\uFFFC';

/**
 * A sentence with a title in it, which keeps its own direction: one from right to left does not turn around the words and marks
 * beside it.
 */
export function Sentence({ of, title }: { of: (title: string) => string; title: string }): JSX.Element {
  const [before, after] = of(PLACE).split(PLACE);
  return (
    <span>
      {before}
      <bdi>{title}</bdi>
      {after}
    </span>
  );
}
