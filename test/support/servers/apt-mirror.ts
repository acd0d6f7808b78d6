import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const fallbackMirror = 'http://deb.debian.org/debian';

interface AptSource {
  uri: string;
  suites: string[];
}

/** The URL of the Debian archive that this system is installed from, by its apt sources in either format. */
export function debianMirror(): string {
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readIfPresent('/etc/os-release'))?.[1] ?? 'stable';
  const main = readSources().find(({ suites }) => suites.includes(codename) || suites.includes('stable'));
  return main?.uri ?? fallbackMirror;
}

function readSources(): AptSource[] {
  const parts = '/etc/apt/sources.list.d';
  const names = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [];
  return ['/etc/apt/sources.list', ...names].flatMap((file) => {
    const text = readIfPresent(file).replace(/^\s*#.*\n?/gm, '');
    return file.endsWith('.sources') ? parseDeb822(text) : parseOneLine(text);
  });
}

function parseDeb822(text: string): AptSource[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const field = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*(?:\\n[ \\t].*)*)`, 'im').exec(paragraph)?.[1]?.trim() ?? '';
    if (!field('Types').split(/\s+/).includes('deb') || /^no$/i.test(field('Enabled'))) return [];
    const suites = field('Suites').split(/\s+/);
    return field('URIs')
      .split(/\s+/)
      .filter((uri) => uri !== '')
      .map((uri) => ({ uri, suites }));
  });
}

function parseOneLine(text: string): AptSource[] {
  return [...text.matchAll(/^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)/gm)].map(([, uri = '', suite = '']) => ({
    uri,
    suites: [suite],
  }));
}

function readIfPresent(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
