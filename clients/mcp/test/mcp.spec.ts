import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPersonalToken } from '../../typescript/test/support/personal-token.js';
import { serverArticles, useWorld } from '../../typescript/test/support/world.js';

const READING = ['list_articles', 'search_articles'];
const WRITING = ['archive_article', 'mark_read', 'save_article'];

const world = useWorld({ MAX_ARTICLES_PER_USER: '2' });
beforeAll(() => {
  const vite = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'clients/mcp/vite.config.ts',
    '--logLevel',
    'warn',
  ];
  execFileSync(process.execPath, vite, { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } });
});

const makeToken = (...words: string[]) => createPersonalToken(world.database.url, ...words);

/** The server, started as a program starts it. */
async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = { READING_LIST_URL: world.url, READING_LIST_TOKEN: token };
  const command = { command: process.execPath, args: [resolve('clients/mcp/dist/cli.js')], env };
  await client.connect(new StdioClientTransport(command));
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answers: its JSON, or the text of its error. */
async function call(client: Client, name: string, values: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: values });
  const [{ text }] = content as [{ text: string }];
  return isError ? text : (JSON.parse(text) as Record<string, unknown>);
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort();
const TEA = 'https://example.com/tea';

describe('with a token that may write', () => {
  it('saves, lists, finds, marks as read and archives articles', async () => {
    const token = await makeToken('alice', '--name', 'assistant');
    const client = await connect(token);
    expect(await namesOf(client)).toEqual([...WRITING, ...READING].sort());
    expect(await call(client, 'list_articles')).toEqual({ total: 0, articles: [] });
    expect(await call(client, 'save_article', { url: TEA, title: 'How to make tea' })).toMatchObject({ unread: true });
    await call(client, 'save_article', { url: 'https://example.com/2' });
    expect(await call(client, 'save_article', { url: TEA, title: 'Again' })).toMatchObject({
      title: 'How to make tea',
    });
    expect(await call(client, 'list_articles', { limit: 1 })).toMatchObject({
      total: 2,
      articles: [{ url: 'https://example.com/2' }],
    });
    expect(await call(client, 'search_articles', { text: 'TEA make' })).toMatchObject({ articles: [{ url: TEA }] });
    expect(await call(client, 'search_articles', { text: 'example', limit: 1 })).toMatchObject({
      total: 2,
      articles: [{}],
    });
    expect(await call(client, 'mark_read', { url: TEA })).toMatchObject({ unread: false });
    expect(await call(client, 'archive_article', { url: TEA })).toMatchObject({ archived: true });
    expect(await call(client, 'list_articles', { archived: false, unread: true })).toMatchObject({ total: 1 });
    const [tea] = (await serverArticles(world.url, `Bearer ${token}`)).filter(({ url }) => url === TEA);
    expect(tea).toMatchObject({ added_by: 'assistant', marked_read_by: 'assistant', unread: false, archived: true });
  });

  it('lists an article with a time beyond all dates', async () => {
    const token = await makeToken('dave', '--name', 'assistant');
    const body = { url: TEA, title: 'Tea', added_by: 'phone', added_on: Number.MAX_SAFE_INTEGER };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    await fetch(`${world.url}/v2/articles`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await call(await connect(token), 'list_articles')).toMatchObject({
      articles: [{ url: TEA, added_on: null }],
    });
  });

  it('sees what other devices do, and says what cannot be done', async () => {
    const client = await connect(await makeToken('bob', '--name', 'assistant'));
    expect(await call(client, 'mark_read', { url: TEA })).toBe(`${TEA} is not on the list`);
    expect(await call(client, 'save_article', { url: 'mailto:me@example.com' })).toMatch(/url/);
    const other = await connect(await makeToken('bob', '--name', 'phone'));
    await call(other, 'save_article', { url: TEA });
    expect(await call(client, 'search_articles', { text: 'tea' })).toMatchObject({ articles: [{ url: TEA }] });
  });

  it('says of a change that could not be sent that the next call sends it, which it does', async () => {
    const token = await makeToken('erin', '--name', 'assistant');
    const client = await connect(token);
    const cut = world.proxy.cutBeforeRequest('POST /v2/articles');
    expect(await call(client, 'save_article', { url: TEA })).toMatch(/not been sent yet: 1.*next call/);
    await cut;
    expect(await serverArticles(world.url, `Bearer ${token}`)).toEqual([]);
    await world.proxy.refuse();
    expect(await call(client, 'list_articles')).toMatch(/not been sent yet: 1.*next call/);
    await world.proxy.restore();
    expect(await call(client, 'list_articles')).toMatchObject({ total: 1 });
    expect((await serverArticles(world.url, `Bearer ${token}`)).length).toBe(1);
    await world.proxy.refuse();
    expect(await call(client, 'list_articles')).not.toMatch(/not been sent/);
    await world.proxy.restore();
  });

  it('says of such a change that the service then refuses it', async () => {
    const client = await connect(await makeToken('frank', '--name', 'assistant'));
    for (const url of [TEA, 'https://example.com/2']) await call(client, 'save_article', { url });
    const cut = world.proxy.cutBeforeRequest('POST /v2/articles');
    expect(await call(client, 'save_article', { url: 'https://example.com/3' })).toMatch(/not been sent yet/);
    await cut;
    const reason = expect.stringContaining('limit of 2 articles') as string;
    const refused = [{ url: 'https://example.com/3', reason }];
    expect(await call(client, 'list_articles')).toMatchObject({ total: 2, refused_earlier_changes: refused });
    expect(await call(client, 'list_articles')).not.toHaveProperty('refused_earlier_changes');
  });
});

describe('with a read-only token', () => {
  it('offers to read, and nothing that writes', async () => {
    const writer = await connect(await makeToken('carol', '--name', 'phone'));
    await call(writer, 'save_article', { url: TEA });
    const reader = await connect(await makeToken('carol', '--name', 'assistant', '--read-only'));
    expect(await namesOf(reader)).toEqual(READING);
    expect(reader.getInstructions()).toContain('read-only');
    expect(await call(reader, 'list_articles')).toMatchObject({ total: 1, articles: [{ url: TEA }] });
    expect(await call(reader, 'save_article', { url: 'https://example.com/2' })).toMatch(/not found/);
  });
});

it('says that its token is refused', async () => {
  const client = await connect(`rl_${'A'.repeat(43)}`);
  expect(await call(client, 'list_articles')).toMatch(/refused/);
});
