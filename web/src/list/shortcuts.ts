import { useLayoutEffect, useRef } from 'preact/hooks';

/** Actions by key; `g u` is a sequence of two keys. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const SEQUENCE_MS = 1500;

/**
 * Handles shortcuts unless the user is typing or a dialog is open; those of a single character only if they are on, because
 * speech input and accidental keys set them off (WCAG 2.1.4).
 */
export function useShortcuts(shortcuts: Shortcuts, isOn: boolean): void {
  const current = useRef({ shortcuts, isOn });
  current.current = { shortcuts, isOn };
  // A passive effect would end a frame after its component, and take a key in between.
  useLayoutEffect(() => {
    let prefix: { key: string; at: number } | undefined;
    const listen = (event: KeyboardEvent) => {
      // A key held down only moves.
      if (event.repeat && event.key !== 'j' && event.key !== 'k') return;
      // Some keyboard layouts have `#` on the third level, which counts as Ctrl and Alt.
      const isCommand = (event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph');
      if (event.defaultPrevented || event.isComposing || isCommand || event.metaKey || isOccupied(event)) return;
      const { shortcuts, isOn } = current.current;
      if (!isOn && event.key.length === 1) return;
      const isSequence = prefix !== undefined && event.timeStamp - prefix.at < SEQUENCE_MS;
      const action = shortcuts[isSequence ? `${prefix!.key} ${event.key}` : event.key];
      prefix = !action && !isSequence && event.key === 'g' ? { key: 'g', at: event.timeStamp } : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

function isOccupied({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]'))
    return key !== 'Escape';
  return false;
}
