import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where Galera stores the last view of the cluster, to restore it when all its members are back. */
const viewFile = 'gvwstate.dat';

/**
 * Writes the state that a node keeps in case all nodes crash. Nodes that start with it form the cluster within a second
 * once all are up, while joining one by one takes five.
 */
export async function writeClusterView(dataDir: string, nodeCount: number, index: number): Promise<void> {
  const ids = Array.from(
    { length: nodeCount },
    (_, node) => `${String(node + 1).padStart(8, '0')}-0000-11ef-8000-000000000000`,
  );
  const members = ids.map((id) => `member: ${id} 0\n`).join('');
  const view = `#vwbeg\nview_id: 3 ${ids[0]} 1\nbootstrap: 0\n${members}#vwend\n`;
  await writeFile(join(dataDir, viewFile), `my_uuid: ${ids[index]}\n${view}`);
}

/**
 * The flags that a node needs in its current state: to bootstrap the cluster, if it belongs to none or was the last to
 * leave; to report its position, if it was killed. `recover` runs mariadbd with --wsrep-recover.
 */
export async function startFlags(dataDir: string, recover: () => Promise<string>): Promise<string[]> {
  const state = existsSync(join(dataDir, 'grastate.dat')) ? readFileSync(join(dataDir, 'grastate.dat'), 'utf8') : '';
  const founds = (state === '' || /^safe_to_bootstrap: 1/m.test(state)) && !existsSync(join(dataDir, viewFile));
  if (founds) return ['--wsrep-new-cluster'];
  if (!/^seqno: +-1$/m.test(state)) return [];
  const position = /Recovered position: (\S+)/.exec(await recover())?.[1];
  return position ? [`--wsrep-start-position=${position}`] : [];
}
