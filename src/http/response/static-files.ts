import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { contentType } from 'mime-types';
import { ApiError } from '../../protocol/api-error.js';
import { Reply } from './reply.js';

/** Files that are read into memory at the start, so that no other paths can be requested. */
export class StaticFiles extends Map<string, { reply: Reply; etag: string }> {
  /** @param names the names of the files; all files of the folder unless they are given */
  constructor(folder: string, names = namesIn(folder)) {
    super();
    for (const name of names) {
      const content = readFileSync(join(folder, name));
      const type = contentType(extname(name)) || 'application/octet-stream';
      const reply = new Reply(200, content, { 'Content-Type': type });
      const hash = createHash('sha256').update(content).digest('base64url');
      this.set(name, { reply, etag: `"${hash.slice(0, 22)}"` });
    }
  }

  /** Throws 404 / 111 for any other name. */
  find(name: string) {
    const file = this.get(name);
    if (!file) throw new ApiError('notFound', 'Unknown path');
    return file;
  }
}

/** Skips symbolic links, which may lead anywhere. */
function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
