import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of a file of the project, beside package.json, whether this file runs from `src` or from `dist`. */
export const projectFile = (name: string, folder = dirname(fileURLToPath(import.meta.url))): string =>
  existsSync(join(folder, 'package.json')) ? join(folder, name) : projectFile(name, dirname(folder));
