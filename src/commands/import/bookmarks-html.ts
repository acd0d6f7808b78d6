import { type Bookmark, fromSeconds } from './bookmark.js';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const MAX_CODE_POINT = 0x10ffff;

/** The bookmarks file that browsers and most services write (Netscape's format), and Pocket's old HTML export. */
export const readBookmarksHtml = (text: string): Bookmark[] =>
  text
    .split(/<a\s/i)
    .slice(1)
    .map(readLink)
    .filter((bookmark) => bookmark.url !== '');

/** @param link what follows `<a ` up to the next link */
function readLink(link: string): Bookmark {
  const end = link.indexOf('>');
  const attributes = new Map(
    [...link.slice(0, end).matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, name, value]) => [
      name!.toLowerCase(),
      value!,
    ]),
  );
  const title = link.slice(end + 1).split('<', 1)[0]!;
  return {
    url: decode(attributes.get('href') ?? ''),
    title: decode(title).trim(),
    addedOn: fromSeconds(attributes.get('add_date') ?? attributes.get('time_added')),
    isUnread: attributes.get('toread') !== '0',
  };
}

const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal);
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
