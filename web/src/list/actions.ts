import { type LocalArticle, MAX_LENGTHS, type ReadingList } from '@reading-list/client';
import type { ToSave } from '../account/entrance';
import { reasonOf, t } from '../texts';
import { titleOf } from './article-facts';
import type { ToldConflict } from './messages';

/** A description of the last action, and how to undo it. */
export interface Done {
  text: (title: string) => string;
  /** The title in the text. */
  title?: string;
  undo?: () => Promise<unknown>;
}

const MAX_UNDO = 50;

/** The user's actions on articles. Each one reports what it did and can be undone, latest first. */
export class Actions {
  private readonly past: (Done & { key: string })[] = [];
  /** The new keys of articles that were added again, by their old keys. */
  private readonly successors = new Map<string, string>();

  /** @param tell called with what happened or went wrong */
  constructor(
    private readonly list: ReadingList,
    private readonly tell: (done: Done) => void,
  ) {}

  async save({ url, title }: Pick<ToSave, 'url' | 'title'>): Promise<LocalArticle> {
    const known = await this.list.get({ url });
    if (known) {
      this.tell({ text: () => t.alreadyThere });
      return known;
    }
    const article = await this.list.add({ url, title: title ?? null });
    this.did(t.saved, article, () => this.list.remove(this.now(article.key)));
    return article;
  }

  toggleRead = (article: LocalArticle) =>
    this.attempt(async () => {
      const { key, unread } = article;
      const there = () => this.list.markRead(this.now(key));
      const back = () => this.list.markUnread(this.now(key));
      await (unread ? there() : back());
      this.did(unread ? t.done.read : t.done.unread, article, async () => {
        await (unread ? back() : there());
        if (!unread || !article.read_position) return;
        // Marking as unread resets the position, whatever the same request says, so that has to be synced first.
        await this.list.sync().catch(() => undefined);
        await this.list.setReadPosition(this.now(key), article.read_position);
      });
    });

  toggleArchived = (article: LocalArticle) =>
    this.attempt(async () => {
      const { key, archived } = article;
      await this.list.archive(key, !archived);
      this.did(archived ? t.done.unarchived : t.done.archived, article, () =>
        this.list.archive(this.now(key), archived),
      );
    });

  toggleFavorite = (article: LocalArticle) =>
    this.attempt(async () => {
      const { key, favorite } = article;
      await this.list.favorite(key, !favorite);
      this.did(favorite ? t.done.unfavorite : t.done.favorite, article, () =>
        this.list.favorite(this.now(key), favorite),
      );
    });

  remove = (article: LocalArticle) =>
    this.attempt(async () => {
      await this.list.remove(article.key);
      this.did(t.done.removed, article, () => this.restore(article));
    });

  rename = (article: LocalArticle, title: string) =>
    this.attempt(async () => {
      if (title === article.title || title === '') return;
      await this.list.rename(article.key, title);
      // Of an article that it did not have yet, the service takes the title for that of the page, too: then the URL stands for none.
      const none =
        article.id === undefined
          ? (article.resolved_title ?? [...article.url].slice(0, MAX_LENGTHS.title).join(''))
          : '';
      this.did(t.done.renamed, { ...article, title }, () =>
        this.list.rename(this.now(article.key), article.title || none),
      );
    });

  readUpTo = (article: LocalArticle, words: number) =>
    this.attempt(async () => {
      const { key, read_position: before } = article;
      if (words <= before) return;
      await this.list.setReadPosition(key, words);
      this.did(t.done.position, article, async () => {
        // It only moves forward, but starts over when an article is marked as unread.
        await this.list.markRead(this.now(key));
        await this.list.markUnread(this.now(key));
        if (before > 0) await this.list.setReadPosition(this.now(key), before);
      });
    });

  /**
   * Undoes an action, the last one by default, and says which one it was. Returns the present key of its article, if there was
   * one.
   */
  undo = async (done: Done | undefined = this.past.at(-1)): Promise<string | undefined> => {
    const at = this.past.findIndex((one) => one === done);
    const [undone] = at === -1 ? [] : this.past.splice(at, 1);
    await this.attempt(async () => {
      await undone?.undo?.();
      const text = (title: string) => (undone ? t.done.undone(undone.text(title)) : t.done.nothingToUndo);
      this.tell({ text, title: undone?.title });
    });
    return undone && this.now(undone.key);
  };

  /** Saves an article that another device deleted again, with all that was known of it. */
  saveAgain = ({ article }: ToldConflict) =>
    this.attempt(async () => {
      const saved = await this.list.add(contentsOf(article));
      this.did(t.saved, saved, () => this.list.remove(this.now(saved.key)));
    });

  /**
   * A removal that was already sent cannot be undone; the article is added again instead. The same goes if the list's last
   * removal is a different one, perhaps from another tab: that one stays.
   */
  private async restore(article: LocalArticle): Promise<void> {
    const restored = await this.list.undoRemove();
    if (restored?.key === this.now(article.key)) return;
    if (restored) await this.list.remove(restored.key);
    this.successors.set(this.now(article.key), (await this.list.add(contentsOf(article))).key);
  }

  /** The present key of an article, for undoing. */
  private now(key: string): string {
    const next = this.successors.get(key);
    return next === undefined ? key : this.now(next);
  }

  private did(text: Done['text'], article: LocalArticle, undo: () => Promise<unknown>): void {
    const done = { text, title: titleOf(article), undo, key: article.key };
    this.past.push(done);
    if (this.past.length > MAX_UNDO) this.past.shift();
    this.tell(done);
  }

  /** Reports errors instead of throwing; returns whether there was none. */
  private async attempt(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.tell({ text: () => t.notices.failed(reasonOf(error)) });
      return false;
    }
  }
}

/** The fields with which an article is added again; the others are the device's and the service's own. */
function contentsOf({ key: _key, id: _id, pending: _pending, ...fields }: ToldConflict['article']) {
  const { last_modified: _modified, stored_on: _stored, ...contents } = fields;
  return contents;
}
