import { readPreferences } from './preferences';

/**
 * Forbids pictures from elsewhere for as long as the page is open, unless the user has switched them on. A policy can be added to a
 * page but never taken away, so the page has to be loaded again after switching them on.
 */
export function restrictPictures(): void {
  if (readPreferences().pictures || document.head.querySelector('meta[http-equiv]')) return;
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "img-src 'self'";
  document.head.append(policy);
}
