import type { IncomingMessage } from 'node:http';

/** The part of a URL before the first `?`. */
export function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** The part of the request's URL after the first `?`; empty if there is none. */
export const queryString = ({ url }: Pick<IncomingMessage, 'url'>): string => url!.slice(pathOf(url!).length + 1);

/**
 * The query string of the next page: all parameters as sent, with `_token` replaced and `_limit` always present.
 * @param search a query string that was parsed without an error
 */
export function nextPageQuery(search: string, pageSize: number, token: string): string {
  const kept = search.split('&').filter((part) => part !== '' && nameOf(part) !== '_token');
  const limit = kept.some((part) => nameOf(part) === '_limit') ? [] : [`_limit=${pageSize}`];
  return [...kept, ...limit, `_token=${token}`].join('&');
}

const nameOf = (part: string): string => decodeURIComponent(part.split('=', 1)[0]!);
