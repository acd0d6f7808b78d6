import './global-setup.js';
import type { GlobalSetup } from './global-setup.js';

/** Global setup of the tests that run on the existing server of TEST_MYSQL_URL. */
const setup: GlobalSetup = (project) => {
  project.provide('databaseServerUrl', process.env.TEST_MYSQL_URL!.replace(/\/+$/, ''));
  return Promise.resolve(() => Promise.resolve());
};

export default setup;
