import type { ComponentChildren, JSX } from 'preact';
import type { Alert, Message, ToldConflict } from '../list/messages';
import { AWAY, webLink } from '../platform/links';
import { reasonOf, t } from '../texts';
import { IconButton } from './icons';
import { Sentence } from './sentence';

/** Of an import, the service may refuse thousands of articles. */
const MESSAGES_SHOWN = 10;

interface Props {
  /** Switches to a new version of the application, if there is one. */
  update?: () => void;
  isSignedOut: boolean;
  isGone: boolean;
  isKept: boolean;
  /** How many pages seem to be saved more than once. */
  duplicates: number;
  onDuplicates: () => void;
  onDuplicatesSeen: () => void;
  messages: Message[];
  onSignInAgain: () => void;
  onKeep: () => void;
  /** Resolves to whether it was saved. */
  onSaveAgain: (conflict: ToldConflict) => Promise<boolean>;
  onDismiss: (id: number) => void;
  onDismissAll: () => void;
}

/** What the user has to know, until it is dealt with or dismissed. */
export function Notices(props: Props): JSX.Element {
  const more = props.messages.length - MESSAGES_SHOWN;
  return (
    <section class="notices" aria-label={t.notices.heading} aria-live="polite">
      {props.update && <Notice text={t.notices.update} action={t.notices.updateNow} onAction={props.update} />}
      {props.isSignedOut && (
        <Notice text={t.notices.signedOut} action={t.notices.signInAgain} onAction={props.onSignInAgain} />
      )}
      {props.isGone && <Notice text={t.notices.gone} />}
      {props.duplicates > 0 && (
        <Notice
          text={t.duplicates.found(props.duplicates)}
          action={t.duplicates.show}
          onAction={props.onDuplicates}
          onDismiss={props.onDuplicatesSeen}
        />
      )}
      {!props.isKept && <Notice text={t.notices.tokenOnce} action={t.notices.stay} onAction={props.onKeep} />}
      {props.messages.slice(0, MESSAGES_SHOWN).map((message) => {
        const onDismiss = () => props.onDismiss(message.id);
        if ('alert' in message) return <AlertNotice key={message.id} alert={message.alert} onDismiss={onDismiss} />;
        const onSaveAgain = () => void props.onSaveAgain(message.conflict).then((isSaved) => isSaved && onDismiss());
        return <ConflictNotice key={message.id} {...message} onSaveAgain={onSaveAgain} onDismiss={onDismiss} />;
      })}
      {more > 0 && <Notice text={t.notices.more(more)} action={t.notices.dismissAll} onAction={props.onDismissAll} />}
    </section>
  );
}

interface NoticeProps {
  text?: string;
  children?: ComponentChildren;
  action?: string;
  onAction?: () => void;
  onDismiss?: () => void;
}

/** A message that stays until dismissed. */
function Notice({ text, children, action, onAction, onDismiss }: NoticeProps): JSX.Element {
  return (
    <div class="notice">
      <div>
        {text}
        {children}{' '}
        {action !== undefined && (
          <button type="button" onClick={onAction}>
            {action}
          </button>
        )}
      </div>
      {onDismiss && <IconButton icon="close" name={t.dismiss} onClick={onDismiss} />}
    </div>
  );
}

function AlertNotice({ alert, onDismiss }: { alert: Alert; onDismiss: () => void }): JSX.Element {
  const href = alert.url === undefined ? undefined : webLink(alert.url);
  return (
    <Notice onDismiss={onDismiss}>
      {alert.code === 'odd-record' ? t.notices.oddRecord : t.notices.ending} <bdi>{alert.message ?? alert.code}</bdi>{' '}
      {href !== undefined && (
        <a href={href} {...AWAY}>
          {t.notices.moreInformation}
        </a>
      )}
    </Notice>
  );
}

interface ConflictProps {
  conflict: ToldConflict;
  onSaveAgain: () => void;
  onDismiss: () => void;
}

/** The outcome of a conflicting edit. */
function ConflictNotice({ conflict, onSaveAgain, onDismiss }: ConflictProps): JSX.Element {
  const { kind, title, reason = '', lost } = conflict;
  const values = Object.entries(lost).filter(([name]) => name in t.conflicts.fields);
  const canSaveAgain = kind === 'deleted-remotely';
  return (
    <Notice
      action={canSaveAgain ? t.conflicts.saveAgain : undefined}
      onAction={canSaveAgain ? onSaveAgain : undefined}
      onDismiss={onDismiss}
    >
      <Sentence
        of={
          kind === 'refused'
            ? (place) => t.conflicts.refused(place, reason && reasonOf({ ...conflict, message: reason }))
            : t.conflicts[kind]
        }
        title={title}
      />
      {values.length > 0 && (
        <span>
          {' '}
          {t.conflicts.lost}{' '}
          {values.map(([name, value], at) => (
            <span key={name}>
              {at > 0 && ', '}
              {t.conflicts.fields[name]}
              {typeof value !== 'boolean' && [' ', <bdi key={name}>“{String(value)}”</bdi>]}
            </span>
          ))}
          .
        </span>
      )}
    </Notice>
  );
}
