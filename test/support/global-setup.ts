import type {} from 'vitest';
import { type TestProject } from 'vitest/node';
import { type DatabaseServer } from './servers/database-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** `mysql://root@127.0.0.1:PORT`, without a database: the server of this run. */
    databaseServerUrl: string;
  }
}

/** Called by vitest before the first test of a project; returns the teardown. */
export type GlobalSetup = (project: TestProject) => Promise<() => Promise<void>>;

/** A vitest global setup that starts one database server for all tests of a project and removes it afterwards. */
export function databaseServerSetup(start: () => Promise<DatabaseServer>): GlobalSetup {
  return async (project) => {
    const server = await start();
    project.provide('databaseServerUrl', server.url());
    return () => server.remove();
  };
}
