import dotenv from 'dotenv';
import { readSettings, type Settings } from './settings.js';

/** Reads the settings from the process environment and, for what is not set there, from `.env`. */
export function loadSettings(): Settings {
  const fromFile: Record<string, string> = {};
  dotenv.config({ processEnv: fromFile, quiet: true });
  return readSettings({ ...fromFile, ...process.env });
}
