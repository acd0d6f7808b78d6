import { afterAll, afterEach, beforeEach } from 'vitest';
import { givenDeployment } from './deployment.js';
import { paceFetch, type Slowdown, takeSlowdown } from './pace.js';
import { beginTest, takeEnded } from './users.js';

const deployment = givenDeployment()!;

paceFetch();

declare module 'vitest' {
  interface TaskMeta {
    /** How the deployment's rate limits affected this case and its setup. */
    slowdown?: Slowdown;
  }
}

beforeEach(beginTest);
afterEach(async ({ task }) => {
  await deleteArticles('test');
  task.meta.slowdown = takeSlowdown();
});
afterAll(() => deleteArticles('file'));

/** Deletes what was stored with credentials that are no longer used, and nothing else. */
async function deleteArticles(ended: 'test' | 'file'): Promise<void> {
  for (const authorization of takeEnded(ended))
    if (deployment.settings.delete_collection) await send('DELETE', '/articles', authorization);
    else await deleteOneByOne(authorization);
}

async function deleteOneByOne(authorization: string): Promise<void> {
  for (;;) {
    const answer = await send('GET', '/articles', authorization);
    if (answer.status !== 200) return;
    const { items } = (await answer.json()) as { items: { id: string }[] };
    if (items.length === 0) return;
    for (const { id } of items) await send('DELETE', `/articles/${id}`, authorization);
  }
}

const send = (method: string, path: string, authorization: string): Promise<Response> =>
  fetch(`${deployment.url}/v2${path}`, { method, headers: { authorization } });
