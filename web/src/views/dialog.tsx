import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { focusHome, isFocusLost } from '../platform/focus';
import { t } from '../texts';
import { IconButton } from './icons';

/** A modal dialog. The browser keeps the focus inside and restores it afterwards. */
export function Dialog({
  heading,
  onClose,
  children,
  wide = false,
  isBusy = false,
}: {
  heading: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  /** Whether it stays open, because closing it would stop something; `onClose` says so. */
  isBusy?: boolean;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      // The browser gives the focus back to what had it before, if that is still there.
      element.close();
      if (isFocusLost()) focusHome();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      // These two also come from a file input inside.
      onClose={(event) => {
        if (event.target !== dialog.current) return;
        // Browsers let nobody refuse twice in a row.
        if (isBusy) dialog.current!.showModal();
        onClose();
      }}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        if (isBusy) event.preventDefault();
        onClose();
      }}
      // A selection of text may end beside it.
      onPointerDown={(event) => (isPressedBeside.current = event.target === dialog.current)}
      onClick={(event) => event.target === dialog.current && isPressedBeside.current && onClose()}
    >
      <div class="dialog-content">
        <header>
          <h2 id={id}>{heading}</h2>
          <IconButton icon="close" name={t.close} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
