import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import type { Request } from 'express';
import { ApiError } from '../../protocol/api-error.js';
import { Reply } from './reply.js';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};
/** Files that the build gives a hash in their name. They are cached forever, others revalidated each time. */
const HASHED = /^assets\//;

/** Files that are read into memory at the start, so that no other paths can be requested. */
export class StaticFiles {
  private readonly files: ReadonlyMap<string, { reply: Reply; etag: string }>;

  /** @param names the names of the files; all files of the folder unless they are given */
  constructor(folder: string, names = namesIn(folder)) {
    this.files = new Map(
      names.map((name) => {
        const content = readFileSync(join(folder, name));
        const hash = createHash('sha256').update(content).digest('base64url');
        const type = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
        return [name, { reply: new Reply(200, content, { 'Content-Type': type }), etag: `"${hash.slice(0, 22)}"` }];
      }),
    );
  }

  has(name: string): boolean {
    return this.files.has(name);
  }

  /** The file, not to be cached. Throws 404 / 111 for any other name. */
  reply(name: string): Reply {
    return this.find(name).reply;
  }

  /** The same for caches, or 304 when the client has it already. */
  cachedReply(name: string, request: Request): Reply {
    const { reply, etag } = this.find(name);
    const lifetime = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
    const caching = { 'Cache-Control': lifetime, ETag: etag };
    if (request.headers['if-none-match'] !== etag) return reply.with(caching);
    return new Reply(304, undefined, { ...caching, Vary: 'Accept-Encoding' });
  }

  private find(name: string) {
    const file = this.files.get(name);
    if (!file) throw new ApiError('notFound', 'Unknown path');
    return file;
  }
}

/** Not what links lead to, which may be anywhere. */
function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
