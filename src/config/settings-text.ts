import { DEFINITIONS } from './setting.decorator.js';
import { Settings, valueOf } from './settings.js';

const DEFAULTS = new Settings();

/** The text of `.env.example`: every setting with its meaning and its default, or another value and its reason. */
export function envExample(): string {
  let text = `# All settings with their defaults, unless a comment says otherwise. Copy to .env and change what differs;
# docs/operations.md says more.
# Any of them can be read from a file instead: NAME_FILE=/run/secrets/name
`;
  for (const [name, { meaning, group, defaultText, example }] of DEFINITIONS) {
    const value = defaultText === undefined ? valueOf(DEFAULTS, name) : '';
    if (group) text += `\n# ---- ${group}\n`;
    text += `# ${withoutMarkdown(meaning)}`;
    if (defaultText) text += ` (default: ${withoutMarkdown(defaultText)})`;
    if (example) text += `\n# ${example.value} here, by default ${String(value)}: ${example.reason}`;
    text += `\n${name}=${example?.value ?? String(value ?? '')}\n`;
  }
  return text;
}

const withoutMarkdown = (text: string): string =>
  text.replaceAll(/`|\*\*/g, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

/** The table in docs/operations.md, before Prettier aligns its columns. */
export function settingsTable(): string {
  const rows = [...DEFINITIONS].map(([name, { meaning, defaultText }]) => {
    const value = valueOf(DEFAULTS, name);
    return `| \`${name}\` | ${defaultText ?? (value === undefined ? 'none' : `\`${String(value)}\``)} | ${meaning} |`;
  });
  return ['| Variable | Default | Meaning |', '| - | - | - |', ...rows].join('\n');
}
