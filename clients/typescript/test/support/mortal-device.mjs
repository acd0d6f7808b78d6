// A device that adds, edits and syncs without end, and says which edits it has acknowledged, until it is killed.
import { createClient, openReadingList } from '../../dist/index.js';
import { fileStorage } from '../../dist/storage/file.js';

const [baseUrl, authorization, path, life] = process.argv.slice(2);
const client = createClient({ baseUrl, authorization });
const list = await openReadingList({ client, storage: fileStorage(path), device: 'mortal' });
const say = (line) => process.stdout.write(`${line}\n`);

for (let n = 0; ; n++) {
  const { key } = await list.add({ url: `https://example.com/${life}/${n}`, title: `Title ${life}/${n}` });
  say(`added ${life}/${n}`);
  const syncing = list.sync().catch(() => undefined);
  await list.favorite(key);
  say(`favorite ${life}/${n}`);
  if (n % 3 === 0) {
    await list.rename(key, `Renamed ${life}/${n}`);
    say(`renamed ${life}/${n}`);
  }
  await syncing;
  if (n % 5 === 4) {
    await list.remove(key);
    say(`removed ${life}/${n}`);
  }
}
