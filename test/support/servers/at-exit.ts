const tasks = new Set<() => void>();
const deadlySignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let armed = false;

/**
 * Runs a synchronous task when this process ends: normally, by an uncaught error, or by SIGINT, SIGTERM or SIGHUP (not
 * SIGKILL). The task registered last runs first. Returns a function that unregisters the task.
 */
export function atExit(task: () => void): () => void {
  arm();
  tasks.add(task);
  return () => void tasks.delete(task);
}

function arm(): void {
  if (armed) return;
  armed = true;
  process.on('exit', runTasks);
  for (const signal of deadlySignals) {
    process.once(signal, () => {
      runTasks();
      // A listener disables the default action, so re-raise the signal unless somebody else (vitest) handles it too.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

function runTasks(): void {
  for (const task of [...tasks].reverse()) {
    tasks.delete(task);
    try {
      task();
    } catch {
      // The process is ending: the other tasks matter more than this one's error.
    }
  }
}
