import { anArticle } from './article.js';
import { client, type Client } from './client.js';

/** An article in a response. */
export type Item = Record<string, unknown> & { id: string; last_modified: number; url: string; title: string };

/** A new user with articles of the given fields, and those articles. */
export async function deviceWith(
  app: { url: string },
  ...articles: Record<string, unknown>[]
): Promise<{ device: Client; items: Item[] }> {
  const device = client(app.url);
  const items: Item[] = [];
  for (const fields of articles)
    items.push((await device.post('/articles').send(anArticle(fields)).expect(201)).body as Item);
  return { device, items };
}

/** The timestamp of the user's collection. */
export const timestampOf = async (device: Client): Promise<number> =>
  Number((await device.head('/articles').expect(200)).headers['last-modified']);
