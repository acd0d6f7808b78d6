import type { LocalArticle, Query, ReadingList } from '@reading-list/client';
import { useEffect, useState } from 'preact/hooks';
import { duplicatesIn } from './canonical';
import { isResolverAtWork } from './resolver';
import { VIEW_QUERIES, type View, VIEWS } from './view';

/** The articles of a view, or of a search in all of them; undefined until loaded. */
export function useArticles(list: ReadingList, view: View, order: Query['order'], search: string) {
  const [items, setItems] = useState<LocalArticle[]>();
  useEffect(() => {
    const query = { ...VIEW_QUERIES[view], order };
    let isCurrent = true;
    const show = (articles: LocalArticle[]) => {
      if (isCurrent) setItems(articles);
    };
    const text = search.trim();
    const stop = onChange(list, async () =>
      show(await (text === '' ? list.list(query) : list.search(text, { order }))),
    );
    return () => {
      isCurrent = false;
      stop();
    };
  }, [list, view, order, search]);
  return items;
}

/** The number of articles in each view. */
export function useCounts(list: ReadingList): Partial<Record<View, number>> {
  const [counts, setCounts] = useState<Partial<Record<View, number>>>({});
  useEffect(
    () =>
      onChange(list, async () => {
        const numbers = await Promise.all(VIEWS.map((view) => list.count(VIEW_QUERIES[view])));
        setCounts(Object.fromEntries(VIEWS.map((view, at) => [view, numbers[at]])));
      }),
    [list],
  );
  return counts;
}

/** Groups of articles that are most likely the same page. */
export function useDuplicates(list: ReadingList): LocalArticle[][] {
  const [groups, setGroups] = useState<LocalArticle[][]>([]);
  useEffect(() => onChange(list, async () => setGroups(duplicatesIn(await list.list({ order: 'oldest' })))), [list]);
  return groups;
}

/** Whether titles of bare URLs follow. */
export function useResolver(list: ReadingList, device: string): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(
    () => onChange(list, async () => setSeen(isResolverAtWork(await list.list(), device, Date.now()))),
    [list, device],
  );
  return isSeen;
}

/** The current state of an article: undefined until loaded, null if there is none with that key. */
export function useArticle(list: ReadingList, key: string | undefined): LocalArticle | null | undefined {
  const [found, setFound] = useState<{ key: string; article: LocalArticle | null }>();
  useEffect(() => {
    if (key === undefined) return;
    let isCurrent = true;
    const stop = onChange(list, async () => {
      const article = (await list.get({ key })) ?? null;
      if (isCurrent) setFound({ key, article });
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [list, key]);
  return found?.key === key ? found?.article : undefined;
}

/** Batches consecutive changes, such as those of an import. */
const PAUSE_MS = 50;

/** Runs a task now and soon after every change, never concurrently, and once more for changes during a run. */
export function onChange(list: ReadingList, task: () => Promise<void>): () => void {
  let [isRunning, isStale, isStopped] = [false, false, false];
  const run = async () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    try {
      while (isStale && !isStopped) {
        isStale = false;
        const begun = performance.now();
        await task();
        // Spends at most half of the time here, to leave time for the changes themselves.
        await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, performance.now() - begun)));
      }
    } catch {
      // The list was closed during the task, because its owner is going away too.
    } finally {
      isRunning = false;
    }
  };
  void run();
  const stop = list.on('change', () => void run());
  return () => {
    isStopped = true;
    stop();
  };
}
