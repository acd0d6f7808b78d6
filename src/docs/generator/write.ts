import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateOpenApi } from './generate.js';

// The last step of a build: writes the `openapi.json` that the service reads, next to the compiled `src`.
const path = fileURLToPath(new URL('../../../openapi.json', import.meta.url));
writeFileSync(`${path}.new`, await generateOpenApi());
renameSync(`${path}.new`, path);
