import { type Bookmark, fromSeconds } from './bookmark.js';
import { csvRecords } from './csv-records.js';
import type { TextChunks } from './lines.js';

/** `true` or `false`; undefined without the column. */
const flag = (text: string | undefined): boolean | undefined => (text ? text === 'true' : undefined);

/**
 * Reads Pocket's export (`title,url,time_added,tags,status`), where the status `archive` means read. Also reads that of the web
 * application, which has additional columns `favorite`, `unread` and `archived`, and puts an apostrophe before a title that a
 * spreadsheet would take for a formula (`web/src/ways/export.ts`).
 */
export async function* readPocketCsv(chunks: TextChunks): AsyncGenerator<Bookmark> {
  for await (const { line, field } of csvRecords(chunks)) {
    const isRead = field('status') === 'archive';
    const isOwn = field('archived') !== undefined;
    const title = field('title') ?? '';
    yield {
      line,
      url: field('url') ?? '',
      title: isOwn ? title.replace(/^'(?='*[=+\-@\t\r])/, '') : title,
      addedOn: fromSeconds(field('time_added')),
      isUnread: flag(field('unread')) ?? !isRead,
      isArchived: flag(field('archived')) ?? isRead,
      isFavorite: flag(field('favorite')),
      leftOut: field('tags') ? ['tags'] : [],
    };
  }
}
