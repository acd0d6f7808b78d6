import { startMariaDb } from '../test/support/servers/mariadb.js';

// `npm run db:mariadb`: an empty MariaDB for trying things out, started as the tests start theirs. It is gone after Ctrl-C.
const server = await startMariaDb();
console.log(await server.createDatabase('scratch'));
console.error('Ctrl-C stops the server and removes its data.');
// Nothing else keeps this process alive: the server is a process of its own.
const alive = setInterval(() => undefined, 2 ** 30);
const stop = (): void => {
  clearInterval(alive);
  void server.remove();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
