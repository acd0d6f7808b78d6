import type { JSX } from 'preact';

/** Stands for the title in a sentence; it is in no text of the application. */
const PLACE = '\uFFFC';

interface Props {
  of: (title: string) => string;
  title: string;
  /** `off` if screen readers are not to say each change of the title alone. */
  live?: 'off';
}

/**
 * A sentence with a title in it, which keeps its own direction: one from right to left does not turn around the words and marks
 * beside it.
 */
export function Sentence({ of, title, live }: Props): JSX.Element {
  const [before, after] = of(PLACE).split(PLACE);
  return (
    <span>
      {before}
      <bdi aria-live={live}>{title}</bdi>
      {after}
    </span>
  );
}
