import type { LocalArticle } from '@reading-list/client';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFocusLost } from '../platform/focus';
import type { Routing } from './route';

const WIDE_REM = 64;

/** As the styles count: in units of the text, however it has been enlarged. */
const isWideNow = () => innerWidth >= WIDE_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Whether the page shows the details next to the list, instead of over it. */
export function useIsWide(): boolean {
  const [isWide, setWide] = useState(isWideNow);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWide(isWideNow()));
    observer.observe(document.documentElement);
    return () => observer.disconnect();
  }, []);
  return isWide;
}

/** The selected article (keyboard position) and the open one. */
export function useSelection(
  items: LocalArticle[] | undefined,
  { route, open, replace, close }: Routing,
  isWide: boolean,
  search: string,
) {
  const [selected, select] = useState<string | undefined>(route.key);
  const [focusRequest, requestFocus] = useState(0);
  const [returning, setReturning] = useState<string>();
  const last = useRef<{ keys: string[]; leaving?: string; scope?: string; left?: string }>({ keys: [] });
  const keys = (items ?? []).map(({ key }) => key);
  const scope = `${route.view} ${search}`;
  const focus = () => requestFocus((count) => count + 1);
  /** The selected article or, if it has left the view, the one that followed it. */
  const nearest = () => {
    if (selected !== undefined && keys.includes(selected)) return selected;
    const before = last.current.keys;
    return before.slice(before.indexOf(selected ?? '') + 1).find((key) => keys.includes(key)) ?? keys[keys.length - 1];
  };

  useEffect(() => {
    // The selected article has left the view: select its neighbour, and focus it if the focus was lost with the row.
    const { keys: before, leaving, scope: scopeBefore } = last.current;
    const next = nearest();
    const isGone = selected !== undefined && !keys.includes(selected) && before.includes(selected);
    const isNoticed = leaving === selected || isFocusLost();
    // An open article stays selected when something else moves it.
    if (isGone && !isNoticed && route.key === selected && scope === scopeBefore) return;
    last.current = { keys, scope };
    if (!isGone) return;
    // In another view or search it has no neighbour.
    if (scope !== scopeBefore) return select(route.key);
    select(next);
    if (isNoticed) focus();
    // Only the user's own action leads on to the next one.
    if (leaving !== selected || route.key !== selected || !isWide) return;
    last.current.left = selected;
    replace(next === undefined ? { view: route.view } : { ...route, key: next });
  }, [items]);
  // Before the next key, which would otherwise be overtaken.
  useLayoutEffect(() => {
    if (route.key !== undefined) select(route.key);
    else if (isFocusLost() || document.activeElement!.closest('.detail-pane')) focus();
  }, [route.key]);

  const show = (key: string) => {
    setReturning(undefined);
    select(key);
    focus();
    if (isWide || route.key !== undefined) replace({ ...route, key });
  };
  useEffect(() => {
    if (keys.includes(returning!)) show(returning!);
  }, [items, returning]);
  const leave = () => {
    if (selected !== undefined) select(nearest());
    close();
  };
  return {
    selected,
    select,
    focusRequest,
    openKey: route.key,
    focus,
    show,
    /**
     * The article that a key is for: that of the row or of the details with the focus, otherwise the open or selected one, unless
     * it has left the list without the user's doing. @param shown in the details
     */
    current: (shown?: LocalArticle) => {
      const element = document.activeElement;
      const key = element?.closest<HTMLElement>('.list .row')?.dataset.key ?? route.key ?? selected;
      const isOver = !isWide && route.key !== undefined;
      return (
        items?.find((item) => item.key === key) ?? (isOver || element?.closest('.detail-pane') ? shown : undefined)
      );
    },
    move: (by: 1 | -1) => {
      const at = keys.indexOf(route.key ?? selected ?? '');
      // What has left the view is between its former neighbours.
      const to = at === -1 ? keys.indexOf(nearest() ?? '') + (by - 1) / 2 : at + by;
      const next = keys[Math.min(keys.length - 1, Math.max(0, to))];
      if (next !== undefined) show(next);
    },
    open: (key: string) => {
      select(key);
      (isWide || route.key !== undefined ? replace : open)({ ...route, key });
    },
    close: () => {
      if (route.key === undefined) return;
      leave();
      focus();
    },
    /** The open article does not exist any more. */
    vanish: () => {
      const { leaving, left } = last.current;
      const isMovingOn = isWide && leaving === route.key && keys.includes(leaving!);
      if (!isMovingOn && left !== route.key) leave();
    },
    expectLeaving: (key: string) => {
      if (keys.includes(key)) last.current.leaving = key;
    },
    /** Shows an article as soon as it is in the list, unless another one is shown before. */
    expect: setReturning,
    leave: (key: string) => {
      last.current.leaving = key;
      if (route.key === key && !isWide) close();
      // From the row, which is about to go, the focus moves on to its neighbour.
      else if (key === selected) focus();
    },
  };
}
