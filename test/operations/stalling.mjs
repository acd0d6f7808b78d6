// Preloaded into a service whose event loop is to have too much to do: each of its turns takes this long.
const TURN_MS = 130;

function stall() {
  const end = performance.now() + TURN_MS;
  while (performance.now() < end);
  setImmediate(stall).unref();
}
setTimeout(stall, 3_000).unref();
