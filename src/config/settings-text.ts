import { DEFINITIONS } from './setting.decorator.js';
import { SETTING_NAMES, Settings, valueOf } from './settings.js';

const DEFAULTS = new Settings();

/** The text of `.env.example`: every setting with its meaning and its default, or another value and its reason. */
export function envExample(): string {
  const head = `# All settings with their defaults, unless a comment says otherwise. Copy to .env and change what differs;
# docs/operations.md says more.
# Any of them can be read from a file instead: NAME_FILE=/run/secrets/name
`;
  return head + SETTING_NAMES.map(exampleOf).join('');
}

function exampleOf(name: string): string {
  const { meaning, group, defaultText, example } = DEFINITIONS.get(name)!;
  const value = defaultText === undefined ? valueOf(DEFAULTS, name) : '';
  const otherwise = defaultText ? ` (default: ${plain(defaultText)})` : '';
  const reason = example ? `\n# ${example.value} here, by default ${String(value)}: ${example.reason}` : '';
  const comment = `# ${plain(meaning)}${otherwise}${reason}\n${name}=${example?.value ?? String(value ?? '')}\n`;
  return group ? `\n# ---- ${group}\n${comment}` : comment;
}

/** Strips the Markdown. */
const plain = (text: string): string => text.replaceAll(/`|\*\*/g, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

/** The table in docs/operations.md, before Prettier aligns its columns. */
export function settingsTable(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { meaning, defaultText } = DEFINITIONS.get(name)!;
    const value = valueOf(DEFAULTS, name);
    return [`\`${name}\``, defaultText ?? (value === undefined ? 'none' : `\`${String(value)}\``), meaning];
  });
  const table = [['Variable', 'Default', 'Meaning'], ['-', '-', '-'], ...rows];
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
