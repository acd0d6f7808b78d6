import { masked, SETTING_NAMES, type SettingName } from '../config/environment.js';
import { type GivenVariables, givenVariables, variablesOf } from '../config/load-settings.js';
import { inForce } from '../config/settings.js';
import { type Command, EXIT } from './command.js';

/** Shows the settings that the service would run with if it were started here and now. */
export const settingsCommand: Command = {
  name: 'settings',
  summary: 'Show all settings and where each comes from',
  help: `[--json]

Prints a line for each setting: its name, the value in force, and where it comes from: the environment, .env, a file (NAME_FILE)
or the default. Secrets and passwords are not shown. The service need not run.

  --json  one JSON object per line

Exit codes: 0 all settings are right, 1 some are wrong or missing (they are named), 2 wrong usage`,
  options: { json: { type: 'boolean' } },
  needsDatabase: false,
  async run({ options, print }) {
    const given = givenVariables();
    const values = inForce(variablesOf(given));
    for (const name of SETTING_NAMES) {
      const value = values[name] === undefined ? null : masked(name, String(values[name]));
      const source = sourceOf(name, given);
      await print(
        options.json
          ? JSON.stringify({ name, value, source })
          : `${name.padEnd(25)} ${(value ?? '(none)').padEnd(40)} ${source}`,
      );
    }
    return EXIT.ok;
  },
};

function sourceOf(name: SettingName, { fromProcess, fromFile }: GivenVariables): string {
  const variables = variablesOf({ fromProcess, fromFile });
  const origin = (variable: string) => (fromProcess[variable] === undefined ? '.env' : 'environment');
  if (variables[`${name}_FILE`]) return `${variables[`${name}_FILE`]} (${name}_FILE in ${origin(`${name}_FILE`)})`;
  return variables[name] ? origin(name) : 'default';
}
