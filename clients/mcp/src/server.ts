import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { LocalArticle, ReadingList, SyncResult } from '@reading-list/client';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };

const MAX_LIMIT = 100;

const QUERY = {
  unread: z.boolean().optional().describe('true: only unread articles; false: only read ones'),
  archived: z.boolean().optional().describe('true: only archived articles; false: only those that are not'),
  favorite: z.boolean().optional().describe('true: only favourites; false: only the others'),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(20).describe('the maximum number of articles'),
  offset: z.number().int().min(0).default(0).describe('how many articles to skip'),
};
const URL_OF = { url: z.string().describe('the URL of an article on the list, as the list shows it') };

const READS = { readOnlyHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The tools for a reading list; those that write only if it may be written. Every call synchronises the list first. */
export function createServer(list: ReadingList, mayWrite: boolean): McpServer {
  const instructions = mayWrite
    ? 'A list of web pages to read. Articles are identified by their URLs.'
    : 'A list of web pages to read. Articles are identified by their URLs. The token is read-only: the list cannot be changed.';
  const server = new McpServer({ name: 'reading-list', version: manifest.version }, { instructions });
  addReadingTools(server, list);
  if (mayWrite) addWritingTools(server, list);
  return server;
}

function addReadingTools(server: McpServer, list: ReadingList): void {
  server.registerTool(
    'list_articles',
    { description: 'Articles of the reading list, newest first.', inputSchema: QUERY, annotations: READS },
    async (query) => {
      const earlier = refusedIn(await sync(list));
      return told({ total: await list.count(query), articles: (await list.list(query)).map(shown), ...earlier });
    },
  );
  server.registerTool(
    'search_articles',
    {
      description: 'Articles of the reading list that have every word in the title, URL or excerpt.',
      inputSchema: { text: z.string().min(1).describe('words to look for'), ...QUERY },
      annotations: READS,
    },
    async ({ text, limit, offset, ...filter }) => {
      const earlier = refusedIn(await sync(list));
      const found = await list.search(text, filter);
      return told({ total: found.length, articles: found.slice(offset, offset + limit).map(shown), ...earlier });
    },
  );
}

function addWritingTools(server: McpServer, list: ReadingList): void {
  server.registerTool(
    'save_article',
    {
      description: 'Saves a web page to the reading list. A page that is already on it is left as it is.',
      inputSchema: {
        url: z.string().describe('its URL'),
        title: z.string().optional().describe('its title, if known'),
      },
      annotations: WRITES,
    },
    ({ url, title }) =>
      change(list, async () => {
        const { key } = await list.add(title === undefined ? { url } : { url, title });
        return key;
      }),
  );
  server.registerTool(
    'mark_read',
    { description: 'Marks an article as read.', inputSchema: URL_OF, annotations: WRITES },
    ({ url }) =>
      change(list, async () => {
        const key = await keyOf(list, url);
        await list.markRead(key);
        return key;
      }),
  );
  server.registerTool(
    'archive_article',
    {
      description: 'Moves an article to the archive, or back to the list.',
      inputSchema: { ...URL_OF, archived: z.boolean().default(true).describe('false: back to the list') },
      annotations: WRITES,
    },
    ({ url, archived }) =>
      change(list, async () => {
        const key = await keyOf(list, url);
        await list.archive(key, archived);
        return key;
      }),
  );
}

/** Changes an article, and tells what the service made of it. */
async function change(list: ReadingList, edit: () => Promise<string>): Promise<CallToolResult> {
  const earlier = refusedIn(await sync(list));
  const key = await edit();
  const { conflicts } = await sync(list);
  const refused = conflicts.find((conflict) => conflict.key === key && conflict.kind === 'refused');
  if (refused) throw new Error(`refused: ${refused.reason}`);
  const article = await list.get({ key });
  return told({ ...(article ? shown(article) : { deleted: true }), ...earlier });
}

/** Synchronises. The error of a sync that fails says what is left to send, as the list keeps it. */
async function sync(list: ReadingList): Promise<SyncResult> {
  try {
    return await list.sync();
  } catch (error) {
    const count = await list.countPending();
    if (count === 0) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}. Changes that have not been sent yet: ${count}. The next call sends them first.`, {
      cause: error,
    });
  }
}

/** Changes that an earlier call could not send, and that the service refuses now. */
function refusedIn({ conflicts }: SyncResult) {
  const refused = conflicts.filter(({ kind }) => kind === 'refused').map(({ url, reason }) => ({ url, reason }));
  return refused.length > 0 && { refused_earlier_changes: refused };
}

async function keyOf(list: ReadingList, url: string): Promise<string> {
  const article = await list.get({ url });
  if (!article) throw new Error(`${url} is not on the list`);
  return article.key;
}

/** What a language model needs of an article. */
const shown = ({ url, title, excerpt, unread, archived, favorite, word_count, added_on }: LocalArticle) => ({
  url,
  title,
  excerpt,
  unread,
  archived,
  favorite,
  word_count,
  added_on: dateOf(added_on),
});

/** Null for what a device has stored that is beyond all dates. */
function dateOf(timestamp: number): string | null {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const told = (result: object): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(result) }] });
