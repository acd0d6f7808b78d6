import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};
/** Files that the build gives a hash in their name. */
const HASHED = /^assets\//;

/** A file as it is served. */
export interface WebAppFile {
  contentType: string;
  /** Cached forever if its name has a hash, otherwise revalidated each time. */
  cacheControl: string;
  etag: string;
  content: Buffer;
}

/** Reads all files of a built web application into memory, so that no other paths can be requested. */
export function readWebApp(folder: string): ReadonlyMap<string, WebAppFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(names.map((name) => [name, toFile(name, readFileSync(join(folder, name)))]));
}

const toFile = (name: string, content: Buffer): WebAppFile => ({
  contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
  cacheControl: HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
  etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
  content,
});

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
