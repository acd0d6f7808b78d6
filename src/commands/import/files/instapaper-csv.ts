import { type Bookmark, fromSeconds, type LeftOut } from './bookmark.js';
import { csvRecords, type CsvRecord } from './csv-records.js';
import type { TextChunks } from './lines.js';

const FOLDERS_WITH_MEANING = ['', 'Unread', 'Archive', 'Starred'];

/**
 * Reads Instapaper's export (`URL,Title,Selection,Folder,Timestamp`); the folders `Archive` and `Starred` set flags.
 */
export async function* readInstapaperCsv(chunks: TextChunks): AsyncGenerator<Bookmark> {
  for await (const record of csvRecords(chunks)) {
    const { line, field } = record;
    const folder = field('folder') ?? '';
    yield {
      line,
      url: field('url') ?? '',
      title: field('title') ?? '',
      addedOn: fromSeconds(field('timestamp')),
      isUnread: folder !== 'Archive',
      isArchived: folder === 'Archive',
      isFavorite: folder === 'Starred',
      excerpt: field('selection'),
      leftOut: leftOutOf(record, folder),
    };
  }
}

function leftOutOf({ field }: CsvRecord, folder: string): LeftOut[] {
  const leftOut: LeftOut[] = [];
  if (!['', '[]', undefined].includes(field('tags'))) leftOut.push('tags');
  if (!FOLDERS_WITH_MEANING.includes(folder)) leftOut.push('folder');
  return leftOut;
}
