import type { Conflict, LocalArticle, ReadingList } from '@reading-list/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { titleOf } from './article-facts';
import { onChange } from './hooks';

/** The service's alert about its end, or the library's about a record that it set aside. */
export interface Alert {
  code?: string;
  message?: string;
  url?: string;
}

/** A conflict with what this page knew of its article, which may be gone by now. */
export interface ToldConflict extends Conflict {
  title: string;
  article: Partial<LocalArticle> & { url: string };
}

export type Message = { id: number; alert: Alert } | { id: number; conflict: ToldConflict };

/** Conflicts and alerts from the library, kept until dismissed. */
export function useMessages(list: ReadingList) {
  const [messages, setMessages] = useState<Message[]>([]);
  const known = useRef(new Map<string, LocalArticle>());
  useEffect(() => {
    let id = 0;
    const tell = (conflict: Conflict) => {
      const { key, url, lost } = conflict;
      const article = known.current.get(key) ?? { url, ...lost };
      const title = lost.title || titleOf({ title: null, resolved_title: null, ...article });
      setMessages((messages) => [...messages, { id: id++, conflict: { ...conflict, title, article } }]);
    };
    const stops = [
      // Before a conflict is told, its article may have been deleted: what was once seen is remembered.
      onChange(list, async () => (await list.list()).forEach((article) => known.current.set(article.key, article))),
      list.on('conflict', tell),
      list.on('alert', (alert: Alert) =>
        setMessages((messages) =>
          messages.some((known) => 'alert' in known && JSON.stringify(known.alert) === JSON.stringify(alert))
            ? messages
            : [...messages, { id: id++, alert }],
        ),
      ),
    ];
    return () => stops.forEach((stop) => stop());
  }, [list]);
  return {
    messages,
    dismiss: (id: number) => setMessages((messages) => messages.filter((message) => message.id !== id)),
    dismissAll: () => setMessages([]),
  };
}
