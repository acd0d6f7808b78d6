import type { LocalArticle, Query, ReadingList } from '@reading-list/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { VIEW_QUERIES, type View, VIEWS } from './view';

/** The articles of a view, or those of them that a search finds; undefined until they are read. */
export function useArticles(list: ReadingList, view: View, order: Query['order'], search: string) {
  const [items, setItems] = useState<LocalArticle[]>();
  useEffect(() => {
    const query = { ...VIEW_QUERIES[view], order };
    let isCurrent = true;
    const show = (articles: LocalArticle[]) => {
      if (isCurrent) setItems(articles);
    };
    const text = search.trim();
    const stop = onChange(list, async () => show(await (text === '' ? list.list(query) : list.search(text, query))));
    return () => {
      isCurrent = false;
      stop();
    };
  }, [list, view, order, search]);
  return items;
}

/** How many articles each view has. */
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

/** One article, as it is now; undefined when there is none of that key. */
export function useArticle(list: ReadingList, key: string | undefined): LocalArticle | undefined {
  const [article, setArticle] = useState<LocalArticle>();
  useEffect(() => {
    setArticle(undefined);
    if (key === undefined) return;
    let isCurrent = true;
    const stop = onChange(list, async () => {
      const found = await list.get({ key });
      if (isCurrent) setArticle(found);
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [list, key]);
  return article?.key === key ? article : undefined;
}

/** How the list stands to the service. */
export interface SyncState {
  status: ReadingList['status'];
  /** When both were last the same, in milliseconds. */
  syncedAt?: number;
  unsent: number;
}

export function useSyncState(list: ReadingList): SyncState {
  const [state, setState] = useState<SyncState>({ status: list.status, unsent: 0 });
  const before = useRef(list.status);
  useEffect(() => {
    const follow = () => {
      const { status } = list;
      const isDone = status === 'idle' && before.current === 'syncing';
      before.current = status;
      setState((state) => ({ ...state, status, ...(isDone ? { syncedAt: Date.now() } : {}) }));
    };
    const stops = [
      list.on('status', follow),
      onChange(list, async () => {
        const unsent = await list.countPending();
        setState((state) => ({ ...state, unsent }));
      }),
    ];
    follow();
    return () => stops.forEach((stop) => stop());
  }, [list]);
  return state;
}

/** Many changes in a row, as those of an import, are shown together. */
const PAUSE_MS = 50;

/** Runs a task now and soon after every change, never twice at once, and once more for changes that came while it ran. */
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
        // At most half of the time: a long list must leave room for what changes it.
        await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, performance.now() - begun)));
      }
    } catch {
      // The list was closed under the task: its owner is going away as well.
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
