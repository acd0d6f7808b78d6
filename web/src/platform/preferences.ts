import { preferredLanguage } from '../texts';

/** The user's preferences on this device; nothing here is secret. */
export interface Preferences {
  language: string;
  device: string;
  order: 'newest' | 'oldest' | 'title';
  /** Whether single keys do things. */
  shortcuts: boolean;
  /** Whether to load the pictures of articles, from wherever they are. */
  pictures: boolean;
  /** How many of the pages saved more than once the user has seen and left as they are. */
  duplicatesSeen: number;
}

const KEY = 'reading-list-preferences';

/** The preferences of this device, with defaults. */
export function readPreferences(): Preferences {
  const defaults: Preferences = {
    language: preferredLanguage(),
    device: guessDevice(),
    order: 'newest',
    shortcuts: true,
    pictures: false,
    duplicatesSeen: 0,
  };
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return defaults;
  }
}

/** Stores the preferences, if the browser allows it. */
export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Private windows may refuse; the page works without.
  }
}

/** "Firefox on Linux": enough to tell one's own devices apart. */
function guessDevice(): string {
  const agent = navigator.userAgent;
  const first = (names: [string, RegExp][], fallback: string) =>
    names.find(([, pattern]) => pattern.test(agent))?.[0] ?? fallback;
  const browser = first(
    [
      ['Firefox', /Firefox\//],
      ['Edge', /Edg\//],
      ['Chrome', /Chrom(e|ium)\//],
      ['Safari', /Safari\//],
    ],
    'Browser',
  );
  const system = first(
    [
      ['Android', /Android/],
      ['iPhone', /iPhone/],
      ['iPad', /iPad/],
      ['Windows', /Windows/],
      ['Mac', /Mac OS/],
      ['Linux', /Linux/],
    ],
    'the web',
  );
  return `${browser} on ${system}`;
}
