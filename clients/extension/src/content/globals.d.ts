import type { PageFacts } from '@reading-list/page-reader';

declare global {
  /** What the extension puts beside a page; the page's own scripts do not see it. */
  var readingListPage: ((url: string) => PageFacts) | undefined;
  var readingListPosition: ((url: string, position: number) => void) | undefined;
}
