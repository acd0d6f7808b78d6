import type { Conflict } from '@reading-list/client';
import type { ComponentChildren, JSX } from 'preact';
import { AWAY, webLink } from '../platform/links';
import { t } from '../texts';
import { IconButton } from './icons';

/** The service's alert about its end. */
export interface Alert {
  code?: string;
  message?: string;
  url?: string;
}

/** A message that stays until dismissed. */
export function Notice({ children, onDismiss }: { children: ComponentChildren; onDismiss?: () => void }): JSX.Element {
  return (
    <div class="notice">
      <div>{children}</div>
      {onDismiss && <IconButton icon="close" name={t.dismiss} onClick={onDismiss} />}
    </div>
  );
}

export function AlertNotice({ alert, onDismiss }: { alert: Alert; onDismiss: () => void }): JSX.Element {
  const href = alert.url === undefined ? undefined : webLink(alert.url);
  return (
    <Notice onDismiss={onDismiss}>
      {t.notices.ending} <bdi>{alert.message ?? alert.code}</bdi>{' '}
      {href !== undefined && (
        <a href={href} {...AWAY}>
          {t.notices.moreInformation}
        </a>
      )}
    </Notice>
  );
}

interface ConflictProps {
  conflict: Conflict & { title: string };
  onSaveAgain: () => void;
  onDismiss: () => void;
}

/** The outcome of a conflicting edit. */
export function ConflictNotice({ conflict, onSaveAgain, onDismiss }: ConflictProps): JSX.Element {
  const { kind, title, reason = '', lost } = conflict;
  const said = kind === 'refused' ? t.conflicts.refused(title, reason) : t.conflicts[kind](title);
  const values = Object.entries(lost).filter(([name]) => name in t.conflicts.fields);
  return (
    <Notice onDismiss={onDismiss}>
      <bdi>{said}</bdi>{' '}
      {values.length > 0 && (
        <span>
          {t.conflicts.lost}{' '}
          {values.map(([name, value], at) => (
            <span key={name}>
              {at > 0 && ', '}
              {t.conflicts.fields[name]} {typeof value !== 'boolean' && <bdi>“{String(value)}”</bdi>}
            </span>
          ))}
          .{' '}
        </span>
      )}
      {kind === 'deleted-remotely' && (
        <button type="button" onClick={onSaveAgain}>
          {t.conflicts.saveAgain}
        </button>
      )}
    </Notice>
  );
}
