import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import type { DatabaseKind } from './bed.js';
import { operationNamed, OPERATIONS } from './load/operations.js';
import { measureDatabase, type Plan } from './measure.js';
import { print } from './report/tables.js';

const { values: options } = parseArgs({
  options: {
    /** Takes seconds instead of minutes: shows that everything runs, but the figures are meaningless. */
    quick: { type: 'boolean', default: false },
    database: { type: 'string', multiple: true, default: ['mariadb', 'sqlite'] },
    /** Only these operations, and only throughput; `mixture` is valid with `--load`. */
    operation: { type: 'string', multiple: true },
    /** Only the latencies at 80 % of the highest load. */
    load: { type: 'boolean', default: false },
    /** Only how latencies grow. */
    growth: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    /** How many clients send without a pause; a single one shows what one device waits for. */
    connections: { type: 'string' },
    /** The folder with the built service. */
    build: { type: 'string', default: 'dist' },
    /** Another build or setting to compare with the service: NAME=FOLDER, NAME=FOLDER,LOG_LEVEL=warn or NAME=FOLDER,NODE=PATH. */
    against: { type: 'string', multiple: true, default: [] },
    /** Folder for a CPU profile of the service. */
    profile: { type: 'string' },
    output: { type: 'string', default: 'artefacts/bench.json' },
  },
});

for (const name of options.operation ?? []) operationNamed(name);

/** Of each operation on its own, and of the mixture. */
const loadSeconds = (each: number, mixture: number): Record<string, number> =>
  Object.fromEntries([...OPERATIONS.map(({ name }) => [name, each] as const), ['mixture', mixture]]);

const plan: Plan = options.quick
  ? {
      throughput: { connections: 4, warmUpSeconds: 0.05, seconds: 0.1, rounds: 1 },
      growth: { rounds: 1, seconds: 0.05 },
      articles: [100, 1000],
      users: [10],
      load: { rounds: 1, seconds: loadSeconds(0.1, 0.3) },
    }
  : {
      throughput: { connections: 16, warmUpSeconds: 1.5, seconds: 1.5, rounds: 5 },
      growth: { rounds: 5, seconds: 0.4 },
      articles: [100, 1000, 10_000, 100_000],
      users: [1, 100, 10_000],
      load: { rounds: 15, seconds: loadSeconds(0.7, 1.5) },
    };
if (options.connections) plan.throughput.connections = Number(options.connections);
if (options.rounds) plan.throughput.rounds = plan.load.rounds = Number(options.rounds);
if (options.seconds) {
  const seconds = Number(options.seconds);
  plan.throughput.seconds = seconds;
  plan.load.seconds = loadSeconds(seconds, seconds);
}

const machine = `${cpus().length} x ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}`;
const databases = [];
for (const database of options.database) {
  const results = await measureDatabase(database as DatabaseKind, plan, options);
  print(results);
  databases.push(results);
}
mkdirSync('artefacts', { recursive: true });
writeFileSync(options.output, JSON.stringify({ date: new Date().toISOString(), machine, plan, databases }, null, 1));
console.log(`\n${machine}\nall figures: ${options.output}`);
process.exit();
