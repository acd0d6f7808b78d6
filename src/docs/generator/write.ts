import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateOpenApi } from './generate.js';

// The last step of a build: `openapi.json` beside the compiled `src`, which the service reads.
const path = fileURLToPath(new URL('../../../openapi.json', import.meta.url));
writeFileSync(`${path}.new`, await generateOpenApi());
renameSync(`${path}.new`, path);
