import { databaseServerSetup } from './global-setup.js';
import { startMariaDb } from './servers/mariadb.js';

/** Global setup of the tests that run on MariaDB. */
export default databaseServerSetup(startMariaDb);
