/** Where the keyboard goes on from when the element with the focus is gone: the first of these that takes the focus. */
const HOMES = [
  'dialog[open] button',
  'main:has([inert]) + aside #detail-title',
  '.list .row-main[tabindex="0"]',
  '#list',
  '.sign-in h1',
];

/** Time for whatever removed the element to move the focus itself. */
const GRACE_MS = 50;

/** Moves the focus to the main thing on the page; returns whether there is one. */
export const focusHome = (): boolean =>
  HOMES.some((selector) => {
    const element = document.querySelector<HTMLElement>(selector);
    element?.focus({ preventScroll: true });
    return element !== null && document.activeElement === element;
  });

/** Whether no element has the focus. */
export const isFocusLost = (): boolean => !document.activeElement || document.activeElement === document.body;

/** Keeps the focus on something: browsers move the focus to the body when its element is removed or hidden. */
export function watchFocus(): void {
  let last: Element | undefined;
  let timer: ReturnType<typeof setTimeout>;
  const isGone = (element: Element) =>
    !element.isConnected || element.closest('[inert]') !== null || !element.checkVisibility();
  const restore = () => {
    if (last && isGone(last) && (isFocusLost() || document.activeElement === last)) focusHome();
  };
  document.addEventListener('focusin', ({ target }) => (last = target as Element));
  new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(restore, GRACE_MS);
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['class', 'inert'] });
}
