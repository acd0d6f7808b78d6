/** What the user has chosen for this browser. */
export interface Preferences {
  /** The name that other devices show. */
  device: string;
  /** Whether to remember positions in saved pages. */
  remembersPositions: boolean;
}

export async function readPreferences(): Promise<Preferences> {
  const { preferences } = await chrome.storage.local.get<{ preferences?: Partial<Preferences> }>('preferences');
  return { device: deviceOf(navigator.userAgent), remembersPositions: false, ...preferences };
}

export async function writePreferences(changed: Partial<Preferences>): Promise<void> {
  await chrome.storage.local.set({ preferences: { ...(await readPreferences()), ...changed } });
}

/** "Firefox on Linux (extension)": enough to tell one's own devices apart. */
export function deviceOf(userAgent: string): string {
  const first = (names: [string, RegExp][], fallback: string) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? fallback;
  const browser = first(
    [
      ['Firefox', /Firefox\//],
      ['Edge', /Edg\//],
      ['Chrome', /Chrom(e|ium)\//],
    ],
    'Browser',
  );
  const system = first(
    [
      ['Android', /Android/],
      ['Windows', /Windows/],
      ['Mac', /Mac OS/],
      ['Linux', /Linux/],
    ],
    'the web',
  );
  return `${browser} on ${system} (extension)`;
}
