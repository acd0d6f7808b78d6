import type { IncomingMessage } from 'node:http';

/** What comes before the first `?` of an address. */
export function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** What follows the first `?` of the request's address; empty when there is none. */
export const queryString = ({ url }: Pick<IncomingMessage, 'url'>): string => url!.slice(pathOf(url!).length + 1);

/**
 * The query string of the next page: all parameters as they were sent, `_token` replaced, `_limit` there in any case.
 * @param search a query string that was parsed without an error
 */
export function nextPageQuery(search: string, pageSize: number, token: string): string {
  const kept = search.split('&').filter((part) => part !== '' && nameOf(part) !== '_token');
  const limit = kept.some((part) => nameOf(part) === '_limit') ? [] : [`_limit=${pageSize}`];
  return [...kept, ...limit, `_token=${token}`].join('&');
}

const nameOf = (part: string): string => decodeURIComponent(part.split('=', 1)[0]!);
