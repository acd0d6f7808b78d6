import { type RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Extra rows before and after the visible ones, for what a fast scroll reaches before the next paint. */
const MARGIN = 8;

/** The rows to render: from `from` to `to`, exclusive. */
export interface Window {
  from: number;
  to: number;
  rowHeight: number;
}

/** The rows to render for a scroll position. */
export function windowOf(scrollTop: number, height: number, rowHeight: number, count: number): Window {
  const first = Math.floor(scrollTop / rowHeight) - MARGIN;
  const last = Math.ceil((scrollTop + height) / rowHeight) + MARGIN;
  const from = Math.max(0, Math.min(first, count));
  return { from, to: Math.max(from, Math.min(count, last)), rowHeight };
}

/**
 * Follows the scroll position of a list whose rows all have the same height. The height is measured on the element
 * `.row-probe` in the scroller, as it depends on the user's text size.
 */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number): Window {
  const [window_, setWindow] = useState<Window>({ from: 0, to: 0, rowHeight: 88 });
  const measure = () => {
    const element = scroller.current!;
    const rowHeight = element.querySelector('.row-probe')?.getBoundingClientRect().height || 88;
    const next = windowOf(element.scrollTop, element.clientHeight, rowHeight, count);
    setWindow((now) => (now.from === next.from && now.to === next.to && now.rowHeight === next.rowHeight ? now : next));
  };
  useLayoutEffect(measure, [count]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    };
    const observer = new ResizeObserver(later);
    observer.observe(element);
    element.addEventListener('scroll', later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', later);
    };
  }, [count]);
  return window_;
}

/** Scrolls as little as needed to show a row. */
export function reveal(element: HTMLElement, index: number, rowHeight: number): void {
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
}
