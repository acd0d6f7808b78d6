import dotenv from 'dotenv';
import { readSettings, SettingError, type Settings, type Variables } from './settings.js';
import { unknownNames } from './unknown-names.js';

/** The variables of the process and of `.env`. */
export interface GivenVariables {
  fromProcess: Variables;
  fromFile: Variables;
}

/**
 * Reads the settings from the process environment and, for what is not set there, from `.env`. Warns on stderr about
 * names in `.env` that resemble a setting. Throws `SettingError` with one line for each invalid setting.
 */
export function loadSettings(): Settings {
  const given = givenVariables();
  for (const warning of unknownNames(Object.keys(given.fromFile))) console.error(warning);
  return readSettings(variablesOf(given));
}

/** The given variables. Throws `SettingError` when `.env` exists but cannot be read. */
export function givenVariables(): GivenVariables {
  const fromFile: Record<string, string> = {};
  const { error } = dotenv.config({ processEnv: fromFile, quiet: true });
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error && code !== 'ENOENT') throw new SettingError(`.env: cannot be read (${code ?? error.message})`);
  return { fromProcess: process.env, fromFile };
}

/** The process environment takes precedence over `.env`. */
export const variablesOf = ({ fromProcess, fromFile }: GivenVariables): Variables => ({ ...fromFile, ...fromProcess });
