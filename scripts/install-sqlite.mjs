// Installs SQLite's binding as its package would, but where it has to be compiled, with the optimisation that SQLite itself is
// usually built with: -O3 takes a third longer, and no statement of ours is faster for it.
import { spawnSync } from 'node:child_process';

if (!(await works())) {
  console.error(
    'installing the binding of SQLite; if no prebuilt one can be downloaded, compiling it takes a minute …',
  );
  const env = { CFLAGS: '-O2', ...process.env };
  const options = { env, shell: true, maxBuffer: Infinity };
  const { status, stdout, stderr } = spawnSync('npm explore better-sqlite3 -- npm run install', options);
  if (status !== 0) process.stderr.write(Buffer.concat([stdout, stderr]));
  process.exitCode = status ?? 1;
}

/** Whether there is a binding for this version of Node, as there is after a package was added. */
async function works() {
  try {
    const { default: Database } = await import('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}
