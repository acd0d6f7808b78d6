import './global-setup.js';
import type { GlobalSetup } from './global-setup.js';

/** Global set-up of the tests that run on the server of TEST_MYSQL_URL, which somebody else runs. */
const setup: GlobalSetup = (project) => {
  project.provide('databaseServerUrl', process.env.TEST_MYSQL_URL!.replace(/\/+$/, ''));
  return Promise.resolve(() => Promise.resolve());
};

export default setup;
