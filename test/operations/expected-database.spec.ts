import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { send } from '../support/devices.js';
import { runService, startService } from '../support/service.js';
import { BACKENDS } from './backends.js';
import { mustRunHere } from './run-command.js';

const SECRETS = { USER_ID_SECRET: 'u'.repeat(32), SESSION_SECRET: 's'.repeat(32) };
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://list.example.com',
  BASIC_AUTH_ENABLED: 'true',
  ...SECRETS,
};

describe.each(Object.keys(BACKENDS))('a database that must have users, on %s', (name) => {
  it('stops the start while it is empty, and starts once somebody used it', async () => {
    const database = await BACKENDS[name]!();
    const env = { ...PRODUCTION, DATABASE_URL: database.url };
    const strict = { ...env, DATABASE_MUST_HAVE_USERS: 'true' };
    const unmade = await runService({ ...strict, MIGRATE_ON_START: 'true' });
    expect([unmade.status, unmade.output]).toEqual([1, expect.stringMatching(/^DATABASE_URL: .*(empty|no database)/)]);

    await mustRunHere(['migrate'], env);
    const empty = await runService(strict);
    expect([empty.status, empty.output]).toEqual([1, expect.stringMatching(/^DATABASE_URL: the database is empty/)]);

    const first = await startService(env);
    expect((await send(first.url, randomUUID(), 'GET', '/articles')).status).toBe(200);
    await first.stop();
    const second = await startService(strict);
    await second.stop();
    await database.drop();
  });
});
