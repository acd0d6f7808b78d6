import type { Command } from 'commander';
import { type Variables, variablesOfFile } from '../config/load-settings.js';
import { masked, SETTING_NAMES, type Settings, valueOf } from '../config/settings.js';
import type { Shell } from './shell.js';

export const addSettings = (commands: Command, shell: Shell): Command =>
  commands
    .command('settings')
    .summary('Show all settings and where each comes from')
    .description(
      'Prints a line for each setting: its name, the value in force, and where it comes from: the environment, .env, a file (NAME_FILE) or the default. Secrets and passwords are not shown. The service need not be running.',
    )
    .option('--json', 'one JSON object per line')
    .action(({ json }: { json?: boolean }) =>
      shell.run(async ({ settings, environment, print }) => {
        const fromFile = variablesOfFile();
        for (const name of SETTING_NAMES) {
          const text = String(valueOf(settings, name) ?? derivedValue(settings, name) ?? '');
          const value = text === '' ? null : masked(name, text);
          const source = sourceOf(name, environment, fromFile);
          const line = `${name.padEnd(25)} ${(value ?? '(none)').padEnd(40)} ${source}`;
          await print(json ? JSON.stringify({ name, value, source }) : line);
        }
      }),
    );

function derivedValue({ oauthRequiredScopes, oauthAudiences }: Settings, name: string): string | undefined {
  if (name === 'OAUTH_REQUIRED_SCOPE') return oauthRequiredScopes.join(' ');
  return name === 'OAUTH_AUDIENCE' ? oauthAudiences.join(' or ') : undefined;
}

function sourceOf(name: string, environment: Variables, fromFile: Variables): string {
  const variables = { ...fromFile, ...environment };
  const origin = (variable: string) => (environment[variable] === undefined ? '.env' : 'environment');
  if (variables[`${name}_FILE`]) return `${variables[`${name}_FILE`]} (${name}_FILE in ${origin(`${name}_FILE`)})`;
  return variables[name] ? origin(name) : 'default';
}
