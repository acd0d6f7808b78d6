import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { SETTING_NAMES } from '../../src/config/settings.js';

/** A document whose shape the tests are about. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Yaml = Record<string, any>;

/** A file below `deploy/`. */
export const text = (path: string): string => readFileSync(`deploy/${path}`, 'utf8');

/** A YAML file below `deploy/`, read as Compose reads it. */
export const yaml = (path: string): Yaml => load(text(path), { schema: CORE_SCHEMA.withTags(mergeTag) }) as Yaml;

/** The variables that the service reads, those that name files included. */
export const KNOWN: ReadonlySet<string> = new Set(SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]));

/** An environment whose files of secrets do not exist here: their settings get a value that passes. */
export const withValues = (environment: Yaml): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => withValue(name, String(value))));

function withValue(name: string, value: string): [string, string] {
  if (!name.endsWith('_FILE')) return [name, value];
  return [name.slice(0, -'_FILE'.length), name.startsWith('DATABASE') ? 'mysql://u:p@h/d' : 'x'.repeat(64)];
}
