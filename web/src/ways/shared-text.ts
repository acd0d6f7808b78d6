/** A web address in a text, and what is left of the text as a title; empty if nothing is. */
export interface Found {
  url: string;
  title: string;
}

/** Characters that are in no address: white space, what cannot be seen, quotes, and punctuation of Chinese and Japanese. */
const END = String.raw`\s\p{Cc}\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF<>"\x60«»‹›“”„‟‘’‚‛…\u3000-\u303F\uFE30-\uFE4F\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`;
/** A letter of a script in which an address ends where its word does. */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]`;
/** A character of an address. Between two letters, what closes a quotation is an apostrophe. */
const PART = `(?:[^${END}]|(?<=${LETTER})’(?=${LETTER}))`;
const ADDRESS = new RegExp(`https?://${PART}+`, 'iu');

/** A label of a host name: not of scripts that are written without spaces, as those have words next to an address. */
const LABEL = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d-]+`;
const HOST = String.raw`(?:${LABEL}\.)+(?:xn--[a-z\d-]+|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{2,})(?::\d+)?`;
/** An address without its scheme: a host with a path or with `www.`, not the end of a mail address or of another word. */
const SCHEMELESS = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d@.:/_-])(?:${HOST}[/?#]${PART}*|www\.${HOST})`,
  'iu',
);
const ONLY_HOST = new RegExp(`^${HOST}$`, 'iu');

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** The first web address in a text. One without a scheme counts if it is surely one: `example.com/page`. */
export function findAddress(text: string): Found | undefined {
  const found = ADDRESS.exec(text) ?? SCHEMELESS.exec(text);
  const hosts = found ? undefined : ONLY_HOST.exec(withoutMarks(text.trim()));
  const url = withoutMarks(found?.[0] ?? hosts?.[0] ?? '');
  if (!url) return undefined;
  const at = text.indexOf(url);
  const title = titleAround(text.slice(0, at), text.slice(at + url.length));
  const address = /^https?:/i.test(url) ? url : `https://${url}`;
  return URL.canParse(address) ? { url: address, title } : undefined;
}

const MARK = /[.,;:!?'*|\\^،؛؟۔।\u200C\u200D\uFE0F]/;

/** An address without the marks of the sentence that it ends; a closing parenthesis stays if it was opened in it. */
function withoutMarks(text: string): string {
  const unopened = new Map(
    Object.entries(PAIRS).map(([close, open]) => [close, text.split(close).length - text.split(open).length]),
  );
  let end = text.length;
  for (; end > 0; end--) {
    const last = text[end - 1]!;
    const count = unopened.get(last);
    if (count === undefined ? !MARK.test(last) : count <= 0) break;
    if (count !== undefined) unopened.set(last, count - 1);
  }
  return text.slice(0, end);
}

/** How much of a text is read for a title, which has at most half of it: tidying a long one would block the page. */
const MAX_TIDIED = 2048;

/** The title of a Markdown link, otherwise the text on both sides. */
function titleAround(before: string, after: string): string {
  const link = /\[([^\]]*)\]\(<?$/.exec(before.slice(-MAX_TIDIED));
  return tidyTitle(link ? link[1]! : `${before} ${after}`);
}

/** A title without what the address has left behind: empty tags and parentheses, and marks that open or join at its ends. */
export function tidyTitle(text: string): string {
  const start = [...text].slice(0, MAX_TIDIED).join('');
  let [title, before] = [start.replace(/[\p{Cc}\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu, ' '), ''];
  title = title.replace(/<\/?[a-z][^<>]*>/gi, ' ');
  while (title !== before) {
    before = title;
    title = title
      .replace(/[\p{Ps}\p{Pi}<"'„‚]\s*[\p{Pe}\p{Pf}>"'“‘]/gu, ' ')
      .replace(/\s+/g, ' ')
      .replace(/[\s:,;،؛、，：；]+(?=[,.;:!?)\]،؛؟۔।。，、；：！？）】」』》])/gu, '')
      .replace(/^[\s\p{Pd}\p{Pe}\p{Pf},.;:!?…|>*/·•،؛؟۔।、，。：；！？～~]+/u, '')
      // In German, what opens a quotation in English closes it.
      .replace(/\s…$|(?<![„‚][^“‘]*)[“‘]$/u, '')
      .replace(/[\s\p{Pd}\p{Ps}«‹‛‟,:;|<*/=·•،؛、，：；～~„‚]+$/u, '')
      .replace(
        /^(["'])([^"']*)$|^([^"']*)(["'])$/,
        (_all, _open, closed: string | undefined, opened: string) => closed ?? opened,
      );
  }
  return /[\p{L}\p{N}\p{So}]/u.test(title) ? title : '';
}
