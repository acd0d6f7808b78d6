import { readFileSync, writeFileSync } from 'node:fs';
import { type CpuProfile, flameGraph } from './report/flame-graph.js';

/* Draws a profile that `npm run bench -- --profile FOLDER` wrote: bench:flame PROFILE SVG TITLE. */
const [profile, svg, title] = process.argv.slice(2);
if (!profile || !svg) throw new Error('usage: npm run bench:flame -- PROFILE SVG [TITLE]');
writeFileSync(svg, flameGraph(JSON.parse(readFileSync(profile, 'utf8')) as CpuProfile, title ?? profile));
