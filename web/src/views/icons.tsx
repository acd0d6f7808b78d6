import type { JSX } from 'preact';

const PATHS = {
  star: 'M12 3.5l2.6 5.6 6 .7-4.500 4.100 1.200 6-5.300-3-5.300 3 1.200-6-4.500-4.100 6-.7z',
  archive: 'M4 5h16v4H4zM5.500 9v10h13V9M10 13h4',
  check: 'M5 12.500l4.500 4.500L19 7',
  open: 'M13 5h6v6M19 5l-9 9M16 14v5H5V8h5',
  back: 'M15 5l-7 7 7 7',
  plus: 'M12 5v14M5 12h14',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13a6.500 6.500 0 0 0 0-13zM15.500 15.500L20 20',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 7h14M5 12h14M5 17h14',
  trash: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  edit: 'M5 19h3.500L19 8.500 15.500 5 5 15.500z',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon, hidden from screen readers. */
export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill={filled ? 'currentColor' : 'none'} />
    </svg>
  );
}

/** A button with only an icon; screen readers announce its name, which also shows on hover. */
export function IconButton({
  icon,
  name,
  filled,
  ...rest
}: { icon: IconName; name: string; filled?: boolean } & JSX.IntrinsicElements['button']): JSX.Element {
  return (
    <button type="button" class="icon-button" aria-label={name} title={name} {...rest}>
      <Icon name={icon} filled={filled} />
    </button>
  );
}
