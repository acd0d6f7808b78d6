/**
 * Parameters of an address that only tell where somebody came from. Sources: Firefox's and Brave's lists of query parameters to
 * strip, the global rules of tidy-url, and the manuals of Google Analytics, Matomo, HubSpot, Adobe and AT Internet.
 */
const TRACKING = new RegExp(
  `^(${[
    'utm_[\\w-]+|itm_(source|medium|campaign|term|content)',
    '(pk|piwik|mtm|matomo)_(campaign|kwd|keyword|source|medium|content|cid|group|placement)',
    'hsa_(acc|ad|cam|grp|kw|la|mt|net|ol|src|tgt|ver)|oly_(anon|enc)_id|vero_(conv|id)',
    'ga_(source|medium|term|content|campaign|place)',
    '(fb|g|d|tw|tt|y|ym|sc|irc)clid|msclkid|rb_clickid|li_fat_id|epik|wickedid|rdt_cid',
    '(g|w)braid|gad_(source|campaignid)|gclsrc|srsltid|fb_(action_ids|action_types|ref|source)',
    'igsh(id)?|mc_[ce]id|mkt_tok|_hsenc|_hsmi|__hs(sc|tc|fp)|hsCtaTracking|__s|_openstat|_bta_[ct]id',
    'ml_subscriber(_hash)?|elq(Track|TrackId|aid|at|CampaignId)|s_cid|ss_email_id|bsft_(aaid|clkid|eid|ek|mid|uid)',
    'trk_(contact|msg|module|sid)|xtor|ref_src|ref_url',
    'guce_referrer(_sig)?|guccounter|_ga|_gl|wt_?mc|wt\\.mc_(id|ev)',
    'at_(medium|campaign|custom\\d)|ns_(source|mchannel|campaign|linkname|fee)',
  ].join('|')})$`,
  'i',
);

const isKept = (parameter: string): boolean => !TRACKING.test(parameter.split('=', 1)[0]!);

/** The address without tracking parameters, otherwise as it is, letter by letter. */
export function cleanAddress(url: string): string {
  const [, page = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const part = (mark: string, text?: string, isQuery = true): string => {
    if (text === undefined) return '';
    if (!isQuery && !text.includes('=')) return mark + text;
    const kept = text.split('&').filter(isKept).join('&');
    return kept === '' && text !== '' ? '' : mark + kept;
  };
  return page + part('?', query) + part('#', fragment, false);
}

/**
 * What addresses of the same page most likely have in common: without tracking parameters, `www.`, a trailing slash, the order of
 * parameters, and whether it is http or https.
 */
export function canonicalOf(url: string): string {
  const clean = cleanAddress(url);
  if (!URL.canParse(clean)) return clean;
  const { protocol, host, pathname, search, hash } = new URL(clean);
  if (!/^https?:$/.test(protocol)) return clean;
  const parameters = search.slice(1).split('&').filter(Boolean).sort().join('&');
  const fragment = hash.replace(/^#:~:.*/, '');
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}?${parameters}${fragment}`;
}

/** Canonical URLs of articles, which stay the same objects until they change. */
const known = new WeakMap<object, string>();

/** Groups of two or more with the same canonical URL, in the order of the list. */
export function duplicatesIn<T extends { url: string }>(articles: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const article of articles) {
    const name = known.get(article) ?? canonicalOf(article.url);
    known.set(article, name);
    const group = groups.get(name);
    if (group) group.push(article);
    else groups.set(name, [article]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
