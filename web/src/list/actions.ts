import type { LocalArticle, ReadingList } from '@reading-list/client';
import type { ToSave } from '../account/entrance';
import { t } from '../texts';
import { titleOf } from './article-facts';

/** A description of the last action, and how to undo it. */
export interface Done {
  text: string;
  undo?: () => Promise<unknown>;
}

const MAX_UNDO = 50;

/** The user's actions on articles. Each one reports what it did and can be undone, latest first. */
export class Actions {
  private readonly past: Done[] = [];
  /** The new keys of articles that were added again, by their old keys. */
  private readonly successors = new Map<string, string>();

  /** @param tell called with what happened or went wrong */
  constructor(
    private readonly list: ReadingList,
    private readonly tell: (done: Done) => void,
  ) {}

  async save({ url, title }: ToSave): Promise<LocalArticle> {
    const known = await this.list.get({ url });
    if (known) {
      this.tell({ text: t.alreadyThere });
      return known;
    }
    const article = await this.list.add({ url, title: title ?? null });
    this.did(t.saved(titleOf(article)), () => this.list.remove(this.now(article.key)));
    return article;
  }

  toggleRead = (article: LocalArticle) =>
    this.attempt(async () => {
      const { key, unread } = article;
      const there = () => this.list.markRead(this.now(key));
      const back = () => this.list.markUnread(this.now(key));
      await (unread ? there() : back());
      this.did(unread ? t.done.read(titleOf(article)) : t.done.unread(titleOf(article)), async () => {
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
      const text = archived ? t.done.unarchived(titleOf(article)) : t.done.archived(titleOf(article));
      this.did(text, () => this.list.archive(this.now(key), archived));
    });

  toggleFavorite = (article: LocalArticle) =>
    this.attempt(async () => {
      const { key, favorite } = article;
      await this.list.favorite(key, !favorite);
      const text = favorite ? t.done.unfavorite(titleOf(article)) : t.done.favorite(titleOf(article));
      this.did(text, () => this.list.favorite(this.now(key), favorite));
    });

  remove = (article: LocalArticle) =>
    this.attempt(async () => {
      await this.list.remove(article.key);
      this.did(t.done.removed(titleOf(article)), () => this.restore(article));
    });

  rename = (article: LocalArticle, title: string) =>
    this.attempt(async () => {
      if (title === article.title || title === '') return;
      await this.list.rename(article.key, title);
      this.did(t.done.renamed(title), () => this.list.rename(this.now(article.key), article.title ?? ''));
    });

  readUpTo = (article: LocalArticle, words: number) =>
    this.attempt(async () => {
      if (words > article.read_position) await this.list.setReadPosition(article.key, words);
    });

  /** Undoes the last action. */
  undo = () =>
    this.attempt(async () => {
      const last = this.past.pop();
      await last?.undo?.();
      this.tell({ text: last ? t.done.undone : t.done.nothingToUndo });
    });

  /** A removal that was already sent cannot be undone; the article is added again instead. */
  private async restore({ key, id: _id, pending: _pending, ...fields }: LocalArticle): Promise<void> {
    const { last_modified: _modified, stored_on: _stored, ...article } = fields;
    if (!(await this.list.undoRemove())) this.successors.set(this.now(key), (await this.list.add(article)).key);
  }

  /** The present key of an article, for undoing. */
  private now(key: string): string {
    const next = this.successors.get(key);
    return next === undefined ? key : this.now(next);
  }

  private did(text: string, undo: () => Promise<unknown>): void {
    this.past.push({ text, undo });
    if (this.past.length > MAX_UNDO) this.past.shift();
    this.tell({ text, undo });
  }

  /** Reports errors instead of throwing, as callers could not do more about them. */
  private async attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.tell({ text: t.notices.failed(error instanceof Error ? error.message : String(error)) });
    }
  }
}
