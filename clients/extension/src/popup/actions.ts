import type { LocalArticle, ReadingList } from '@reading-list/client';
import type { TextName } from '../texts';

/** Something that was done to an article. */
export interface Done {
  text: TextName;
  undo: () => Promise<unknown>;
}

/** What the buttons of the popup do; each can be undone. */
export const ACTIONS = {
  favorite: async (list: ReadingList, { key, favorite }: LocalArticle): Promise<Done> => {
    await list.favorite(key, !favorite);
    return { text: favorite ? 'didUnfavorite' : 'didFavorite', undo: () => list.favorite(key, favorite) };
  },

  archive: async (list: ReadingList, { key, archived }: LocalArticle): Promise<Done> => {
    await list.archive(key, !archived);
    return { text: archived ? 'didUnarchive' : 'didArchive', undo: () => list.archive(key, archived) };
  },

  read: async (list: ReadingList, { key, unread, read_position }: LocalArticle): Promise<Done> => {
    await (unread ? list.markRead(key) : list.markUnread(key));
    const undo = async () => {
      await (unread ? list.markUnread(key) : list.markRead(key));
      if (!unread || !read_position) return;
      // Marking as unread resets the position, whatever the same request says, so that has to be synced first.
      await list.sync().catch(() => undefined);
      await list.setReadPosition(key, read_position);
    };
    return { text: unread ? 'didMarkRead' : 'didMarkUnread', undo };
  },

  remove: async (list: ReadingList, article: LocalArticle): Promise<Done> => {
    await list.remove(article.key);
    return { text: 'didRemove', undo: () => restore(list, article) };
  },
};

export type ActionName = keyof typeof ACTIONS;

/** Undoes a removal; one that the service knows of already cannot be undone, so the article is added again. */
async function restore(list: ReadingList, article: LocalArticle): Promise<void> {
  const restored = await list.undoRemove();
  if (restored?.url === article.url) return;
  // Another removal was the last one, and stands.
  if (restored) await list.remove(restored.key);
  const { key: _key, id: _id, pending: _pending, last_modified: _modified, stored_on: _stored, ...contents } = article;
  await list.add(contents);
}
