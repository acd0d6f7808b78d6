// Writes .env.example and the settings table in docs/operations.md from the definitions; run by `npm run
// settings:write`.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { envExample, settingsTable } from '../dist/src/config/settings-text.js';

const TABLE = /^\| Variable +\| Default [^]*?\n(?=\n)/m;
const page = 'docs/operations.md';
const table = await format(settingsTable(), { parser: 'markdown' });
writeFileSync('.env.example', envExample());
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(TABLE, () => table),
);
