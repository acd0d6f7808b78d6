import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Preferences } from '../platform/preferences';
import { t } from '../texts';
import { Icon, IconButton } from './icons';

interface Props {
  search: string;
  searchField: RefObject<HTMLInputElement | null>;
  order: Preferences['order'];
  onSearch: (text: string) => void;
  /** Moves on to what was found. */
  onResults: () => void;
  onOrder: (order: Preferences['order']) => void;
  onAdd: () => void;
  menu: { name: string; action: () => void }[];
}

/** Name, search, order, and the button to save an article. */
export function TopBar({ search, searchField, order, onSearch, onResults, onOrder, onAdd, menu }: Props): JSX.Element {
  return (
    <header class="top-bar">
      <h1>{t.appName}</h1>
      <form role="search" class="search" onSubmit={(event) => event.preventDefault()}>
        <Icon name="search" />
        <input
          ref={searchField}
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          dir="auto"
          value={search}
          onInput={(event) => onSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing || !['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return;
            event.preventDefault();
            if (event.key === 'Escape') onSearch('');
            onResults();
          }}
        />
      </form>
      <select
        class="order"
        aria-label={t.order}
        value={order}
        onChange={(event) => onOrder(event.currentTarget.value as Preferences['order'])}
      >
        {Object.entries(t.orders).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <button type="button" class="primary add" aria-label={t.add} onClick={onAdd}>
        <Icon name="plus" />
        <span>{t.addShort}</span>
      </button>
      <Menu entries={menu} />
    </header>
  );
}

/** A dropdown menu; Escape or a click elsewhere closes it. */
function Menu({ entries }: { entries: Props['menu'] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  // Before the next key.
  useLayoutEffect(() => {
    if (!isOpen) return;
    menu.current!.querySelector<HTMLElement>('.menu-entries button')?.focus();
    const close = (event: Event) => {
      if (!menu.current!.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, [isOpen]);
  const leave = () => {
    setOpen(false);
    menu.current!.querySelector<HTMLElement>('.icon-button')!.focus();
  };
  return (
    <div
      class="menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        // It closes nothing else.
        event.preventDefault();
        leave();
      }}
    >
      <IconButton icon="more" name={t.menu} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <div class="menu-entries">
          {entries.map(({ name, action }) => (
            <button
              type="button"
              key={name}
              onClick={() => {
                leave();
                action();
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
