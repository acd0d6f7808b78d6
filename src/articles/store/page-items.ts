import type { Article, Tombstone } from '../article.js';

type Item = Article | Tombstone;

/** The items of a page, as many as fit, and their JSON. */
export class PageItems {
  private readonly items: Item[] = [];
  private readonly texts: string[] = [];
  private bytes = 0;

  /** @param maxBytes the most that the JSON of the items takes, unless there is only one */
  constructor(private readonly maxBytes: number) {}

  get count(): number {
    return this.items.length;
  }

  /** Adds items until one does not fit; returns how many were added. */
  add(items: readonly Item[]): number {
    if (items.length === 0) return 0;
    // Written all at once, in two thirds of the time: nearly always all of them fit.
    if (this.addText(JSON.stringify(items).slice(1, -1), items)) return items.length;
    const fitting = items.findIndex((item) => !this.addText(JSON.stringify(item), [item]));
    return fitting < 0 ? items.length : fitting;
  }

  private addText(json: string, items: readonly Item[]): boolean {
    const bytes = Buffer.byteLength(json) + 1;
    const isFirstItem = this.items.length === 0 && items.length === 1;
    if (!isFirstItem && this.bytes + bytes > this.maxBytes) return false;
    this.bytes += bytes;
    this.items.push(...items);
    this.texts.push(json);
    return true;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.items[Symbol.iterator]();
  }

  /** A JSON array. */
  get json(): string {
    return `[${this.texts.join(',')}]`;
  }
}
