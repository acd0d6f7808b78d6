import { databaseServerSetup } from './global-setup.js';
import { startMysql } from './servers/mysql.js';

/** Global setup of the tests that run on MySQL. */
export default databaseServerSetup(startMysql);
