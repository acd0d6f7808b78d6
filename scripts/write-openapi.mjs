// The last step of a build: writes openapi.yaml, the contract, as the JSON that the service reads, serves and adapts.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const document = load(readFileSync('openapi.yaml', 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) });
// What is written once and merged into other places has no meaning of its own.
delete document['x-parts'];
mkdirSync('dist', { recursive: true });
writeFileSync('dist/openapi.json.new', JSON.stringify(document));
renameSync('dist/openapi.json.new', 'dist/openapi.json');
