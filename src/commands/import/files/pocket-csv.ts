import { type Bookmark, fromSeconds } from './bookmark.js';
import { csvRecords } from './csv-records.js';
import type { TextChunks } from './lines.js';

/** Reads Pocket's export (`title,url,time_added,tags,status`); the status `archive` means read. */
export async function* readPocketCsv(chunks: TextChunks): AsyncGenerator<Bookmark> {
  for await (const { line, field } of csvRecords(chunks)) {
    const isRead = field('status') === 'archive';
    yield {
      line,
      url: field('url') ?? '',
      title: field('title') ?? '',
      addedOn: fromSeconds(field('time_added')),
      isUnread: !isRead,
      isArchived: isRead,
      leftOut: field('tags') ? ['tags'] : [],
    };
  }
}
