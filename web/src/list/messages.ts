import type { Conflict, LocalArticle, ReadingList } from '@reading-list/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { titleOf } from './article-facts';
import { onChange } from './hooks';
import { forgetLost, keepLost, nameOf, readLost } from './lost';

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

export type Message = { id: number } & ({ alert: Alert } | { conflict: ToldConflict });

/** Conflicts and alerts from the library, kept until dismissed; conflicts also where the page is left before. */
export function useMessages(list: ReadingList, account: string) {
  const lastId = useRef(0);
  const numbered = (told: { alert: Alert } | { conflict: ToldConflict }): Message => ({
    id: lastId.current++,
    ...told,
  });
  const [messages, setMessages] = useState(() => readLost(account).map((conflict) => numbered({ conflict })));
  /** By name, as one is told again where the page was left before the library knew that it was told. */
  const told = useRef<Set<string>>(undefined);
  told.current ??= new Set(readLost(account).map(nameOf));
  const known = useRef(new Map<string, LocalArticle>());
  useEffect(() => {
    let fresh: ToldConflict[] = [];
    const keep = () => {
      keepLost(account, fresh);
      fresh = [];
    };
    const tell = (conflict: Conflict) => {
      const { key, url, lost } = conflict;
      const article = known.current.get(key) ?? { url, ...lost };
      const title = lost.title || titleOf({ title: null, resolved_title: null, ...article });
      const one = { ...conflict, title, article };
      if (told.current!.has(nameOf(one))) return;
      told.current!.add(nameOf(one));
      if (fresh.push(one) === 1) queueMicrotask(keep);
      setMessages((messages) => [...messages, numbered({ conflict: one })]);
    };
    const stops = [
      // Before a conflict is told, its article may have been deleted: what was once seen is remembered.
      onChange(list, async () => (await list.list()).forEach((article) => known.current.set(article.key, article))),
      list.on('conflict', tell),
      list.on('alert', (alert: Alert) =>
        setMessages((messages) =>
          messages.some((known) => 'alert' in known && JSON.stringify(known.alert) === JSON.stringify(alert))
            ? messages
            : [...messages, numbered({ alert })],
        ),
      ),
    ];
    return () => stops.forEach((stop) => stop());
  }, [list]);
  return {
    messages,
    dismiss: (id: number) => {
      const dismissed = messages.find((message) => message.id === id);
      if (dismissed && 'conflict' in dismissed) {
        told.current!.delete(nameOf(dismissed.conflict));
        forgetLost(account, dismissed.conflict);
      }
      setMessages((messages) => messages.filter((message) => message.id !== id));
    },
    dismissAll: () => {
      told.current!.clear();
      forgetLost(account);
      setMessages([]);
    },
  };
}
