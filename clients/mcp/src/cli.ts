import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createClient, openReadingList } from '@reading-list/client';
import { memoryStorage } from '@reading-list/client/memory';
import { createServer } from './server.js';
import { mayWrite } from './may-write.js';

// Standard output is for the protocol.
try {
  const { READING_LIST_URL: baseUrl, READING_LIST_TOKEN: token } = process.env;
  if (!baseUrl || !token) throw new Error('READING_LIST_URL and READING_LIST_TOKEN have to be set');
  const client = createClient({ baseUrl, authorization: `Bearer ${token}` });
  const list = await openReadingList({ client, storage: memoryStorage(), device: 'assistant' });
  const server = createServer(list, await mayWrite(client));
  await server.connect(new StdioServerTransport());
  process.stdin.once('end', () => void list.close());
} catch (error) {
  console.error(error instanceof Error ? error.message.replace(/^baseUrl:/, 'READING_LIST_URL:') : error);
  process.exitCode = 1;
}
