import type { LocalArticle } from '@reading-list/client';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Actions } from '../list/actions';
import type { View } from '../list/view';
import { reveal, useWindow } from '../list/virtual';
import { focusHome } from '../platform/focus';
import { t } from '../texts';
import { Row } from './row';

interface Props {
  items: LocalArticle[] | undefined;
  view: View;
  isSearch: boolean;
  /** Whether titles of bare URLs follow. */
  titlesFollow: boolean;
  /** What to show below the sentence that says that the list is empty. */
  whenEmpty?: ComponentChildren;
  actions: Actions;
  /** The key of the selected article. */
  selected: string | undefined;
  openKey: string | undefined;
  /** Incremented to focus the selected row. */
  focusRequest: number;
  onOpen: (key: string) => void;
  onSelect: (key: string) => void;
  onMove: (by: 1 | -1) => void;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** The list. Renders only the visible rows and the selected one, so that scrolling never loses the focus. */
export function ListPane(props: Props): JSX.Element {
  const { items = [], view, isSearch, selected, focusRequest } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { from, to, rowHeight } = useWindow(scroller, items.length);
  const at = Math.max(
    0,
    items.findIndex(({ key }) => key === selected),
  );
  useLayoutEffect(() => {
    if (focusRequest === 0 || !props.items) return;
    reveal(scroller.current!, at, rowHeight);
    focusHome();
  }, [focusRequest]);
  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
  }, [view, isSearch]);
  const shown = new Set([...range(from, to), ...(items.length > 0 ? [at] : [])]);
  return (
    <div
      class="list-scroller"
      ref={scroller}
      id="list"
      role="group"
      aria-label={t.views[view]}
      tabIndex={-1}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (!step) return;
        event.preventDefault();
        props.onMove(step);
      }}
    >
      <div class="row-probe row" aria-hidden="true" />
      {props.items !== undefined && items.length === 0 && (
        <div class="empty">
          <p>{isSearch ? t.empty.search : t.empty[view]}</p>
          {!isSearch && props.whenEmpty}
        </div>
      )}
      <ul
        class="list"
        aria-label={isSearch ? t.found : t.views[view]}
        style={{ blockSize: `${items.length * rowHeight}px` }}
      >
        {[...shown]
          .sort((a, b) => a - b)
          .filter((index) => index < items.length)
          .map((index) => (
            <Row
              key={items[index]!.key}
              article={items[index]!}
              index={index}
              count={items.length}
              top={index * rowHeight}
              view={view}
              isFound={isSearch}
              titlesFollow={props.titlesFollow}
              actions={props.actions}
              isSelected={index === at}
              isOpen={items[index]!.key === props.openKey}
              onOpen={props.onOpen}
              onSelect={props.onSelect}
            />
          ))}
      </ul>
    </div>
  );
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
