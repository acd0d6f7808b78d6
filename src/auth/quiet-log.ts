import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Logs each kind of warning at most once a minute: strangers may cause any number of them. */
export class QuietLog extends Logger {
  private readonly said = new LRUCache<string, true>({ max: 100, ttl: 60_000 });

  /** Messages that differ only in what is between double quotes are of one kind. */
  override warn(message: string): void {
    const kind = message.replace(/".*"/g, '');
    if (this.said.has(kind)) return;
    this.said.set(kind, true);
    super.warn(message);
  }
}
