import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../texts';
import { IconButton } from './icons';

/** A modal dialog. The browser keeps the focus inside and restores it afterwards. */
export function Dialog({
  heading,
  onClose,
  children,
  wide = false,
}: {
  heading: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current!.showModal();
    return () => {
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
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
