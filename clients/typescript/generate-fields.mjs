// Writes src/fields.ts: the names and types of the fields, for what has to know them when it runs.
import { readFileSync, writeFileSync } from 'node:fs';

const { schemas } = JSON.parse(readFileSync(new URL('../../dist/openapi.json', import.meta.url), 'utf8')).components;

const list = (name, comment, { properties }) => {
  const names = Object.keys(properties).map((field) => `  '${field}',\n`);
  return `/** ${comment} */\nexport const ${name} = [\n${names.join('')}] as const;\n`;
};

const typeOf = ({ type }) => [type].flat().find((name) => name !== 'null');
const types = (name, comment, { properties }) => {
  const lines = Object.entries(properties).map(([field, schema]) => `  ${field}: '${typeOf(schema)}',\n`);
  return `/** ${comment} */\nexport const ${name} = {\n${lines.join('')}} as const;\n`;
};

const nulls = (name, comment, { properties }) => {
  const nullable = Object.keys(properties).filter((field) => properties[field].type.includes('null'));
  return `/** ${comment} */\nexport const ${name} = {\n${nullable.map((field) => `  ${field}: null,\n`).join('')}} as const;\n`;
};

const lengths = (name, comment, { properties }) => {
  const lines = Object.entries(properties).map(([field, { maxLength }]) =>
    maxLength ? `  ${field}: ${maxLength},\n` : '',
  );
  return `/** ${comment} */\nexport const ${name} = {\n${lines.join('')}} as const;\n`;
};

const text = [
  '// Generated from openapi.yaml by `npm run openapi`.\n',
  list('POSTED', 'The fields of a creation.', schemas.NewArticle),
  list('PATCHED', 'The fields of a PATCH.', schemas.ArticlePatch),
  types('TYPES', 'The types of the fields of an article that are not null.', schemas.Article),
  nulls('NULLS', 'The fields of an article that may be null, and are unless someone sets them.', schemas.Article),
  lengths('MAX_LENGTHS', 'The most code points of the fields that are refused beyond.', schemas.NewArticle),
].join('\n');
writeFileSync(new URL('src/fields.ts', import.meta.url), text);
