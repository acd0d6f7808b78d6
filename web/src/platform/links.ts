/** The URL to put into `href`, or undefined when the text is anything but the address of a web page: `javascript:` and `data:` above all. */
export function webLink(text: string): string | undefined {
  // What a browser would strip or skip must not hide a scheme from us.
  if (!/^https?:\/\/[^\s\u0000-\u001f\u007f]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** The attributes of every link that leads away: the page there learns nothing of this one and has no hold on it. */
export const AWAY = { target: '_blank', rel: 'noopener noreferrer', referrerpolicy: 'no-referrer' } as const;

/** Opens a web page in a new tab, as a link with `AWAY` would; anything else does nothing. */
export function openAway(text: string): void {
  const href = webLink(text);
  if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer');
}

/** The host as people know it: without `www.`; the text itself when it is no URL. */
export function hostOf(text: string): string {
  if (!URL.canParse(text)) return text;
  return new URL(text).hostname.replace(/^www\./, '') || text;
}
