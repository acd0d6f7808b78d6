/**
 * The content security policy of the web application: only resources from this origin, and pictures of articles. These the page
 * forbids itself in a second policy before anything else, unless the user has switched them on (docs/security.md). Scripts cannot turn text into
 * markup or code (`require-trusted-types-for`); the only trusted-types policy, `reading-list`, is for the service
 * worker's URL and for decoding single character references.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types reading-list',
].join('; ');

/** The headers of every response below `/app/`, including scripts and the service worker. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};
