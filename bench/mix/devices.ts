import { Agent } from 'node:http';
import type { User } from '../data.js';
import { quantile } from '../load/job.js';
import { type Action, ACTIONS } from './actions.js';
import { Device } from './device.js';

/** The order for the process that runs the devices. */
export interface MixJob {
  port: number;
  users: User[];
  devices: number;
  seconds: number;
}

/** The results of one action; latencies in milliseconds, without refused requests (503). */
export interface ActionResult {
  action: string;
  done: number;
  refused: number;
  errors: number;
  p50: number;
  p99: number;
}

export interface MixResult {
  perSecond: number;
  actions: ActionResult[];
  /** The first unexpected responses. */
  surprises: string[];
}

const LOT = ACTIONS.flatMap((action) => Array<Action>(action.weight).fill(action));
const MAX_SURPRISES = 5;

process.on('message', (job: MixJob) => void run(job).then((result) => process.send!(result)));

async function run({ port, users, devices, seconds }: MixJob): Promise<MixResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: devices });
  const tallies = new Map(ACTIONS.map((action) => [action, { latencies: [] as number[], refused: 0, errors: 0 }]));
  const surprises: string[] = [];
  const start = performance.now();
  const live = async (at: number): Promise<void> => {
    const { authorization } = users[at % users.length]!;
    const device = new Device({ port, agent, authorization, name: `device-${process.pid}-${at}` });
    while (performance.now() < start + seconds * 1000) {
      const action = LOT[Math.floor(Math.random() * LOT.length)]!;
      const tally = tallies.get(action)!;
      const begin = performance.now();
      const status = await action.run(device).then(
        (answer) => answer.status,
        (error: unknown) => String(error),
      );
      if (action.statuses.includes(status as number)) tally.latencies.push(performance.now() - begin);
      else if (status === 503) tally.refused++;
      else {
        tally.errors++;
        if (surprises.length < MAX_SURPRISES) surprises.push(`${action.name}: ${status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: devices }, (_, at) => live(at)));
  agent.destroy();
  const elapsed = (performance.now() - start) / 1000;
  const actions = [...tallies].map(([{ name }, { latencies, refused, errors }]) => {
    const sorted = Float64Array.from(latencies).sort();
    return {
      action: name,
      done: sorted.length,
      refused,
      errors,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
    };
  });
  return { perSecond: actions.reduce((sum, { done }) => sum + done, 0) / elapsed, actions, surprises };
}
