/** The URL for `href`; undefined unless the text is the URL of a web page, to exclude `javascript:` and `data:`. */
export function webLink(text: string): string | undefined {
  // Characters that browsers strip must not hide another scheme.
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** The attributes of every external link: the target neither sees the referrer nor can access this window. */
export const AWAY = { target: '_blank', rel: 'noopener noreferrer', referrerpolicy: 'no-referrer' } as const;

/** Opens a web page in a new tab, like a link with `AWAY`; ignores anything else. */
export function openAway(text: string): void {
  const href = webLink(text);
  if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer');
}

/** The host without `www.`; the text itself if it is not a URL. */
export function hostOf(text: string): string {
  if (!URL.canParse(text)) return text;
  return new URL(text).hostname.replace(/^www\./, '') || text;
}
