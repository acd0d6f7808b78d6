import {
  type Article,
  type ArticlePatch,
  type Conflict,
  type Draft,
  EDITABLE,
  type EditableField,
  NO_MARKS,
} from '../article.js';
import type { ReadingListError } from '../errors.js';
import { defaultsOf } from './checks.js';
import { type Edit, type Edits, type Entry, edited, isResetting, unsent, urlOf, visible } from './entry.js';

/** The resulting entry (undefined if it is deleted), and a conflict to report to the user. */
export interface Outcome {
  entry: Entry | undefined;
  conflict?: Conflict;
}

type Lost = Record<string, unknown>;

/**
 * Merges a new version from the server with the user's edits, field by field. A field that nobody else changed is still
 * pending; one that already has the value is done; where another device set something else, the server's value wins and
 * the edit is reported as lost.
 */
export function merge(entry: Entry, article: Article): Outcome {
  const { base, edits = {}, removal } = entry;
  if (!base || base.last_modified === article.last_modified) return { entry: { ...entry, base: article } };
  if (removal) return mergeIntoRemoval(entry, base, article, removal.order);
  const isDoubtful = mayBeServed(base, edits, article);
  const kept: Edits = {};
  const lost: Lost = {};
  for (const field of EDITABLE) {
    const edit = edits[field];
    if (!edit) continue;
    const verdict =
      field === 'read_position'
        ? judgePosition(edit, article.read_position, isResetting(kept))
        : judge(edit, article[field], isDoubtful);
    if (verdict === 'lost') lost[field] = edit.to;
    else if (verdict === 'pending') kept[field] = rebased(edit, article[field]);
  }
  // Another device read on while this one marked it unread: keep both.
  const { sent = 0 } = edits.read_position ?? {};
  if (isResetting(kept) && article.read_position > Math.max(base.read_position, sent as number)) {
    const own = (kept.read_position?.to as number | undefined) ?? 0;
    kept.read_position = { from: 0, to: Math.max(own, article.read_position) };
  }
  return told({ ...entry, base: article, edits: kept }, 'merged', lost, 'changed on another device');
}

type Verdict = 'done' | 'pending' | 'lost';

function judge(edit: Edit, server: unknown, isDoubtful: boolean): Verdict {
  if (hasToReset(edit, server)) return 'pending';
  if (server === edit.to) return 'done';
  if ('sent' in edit && server === edit.sent) return 'pending';
  if (server !== edit.from) return 'lost';
  return isDoubtful && 'sent' in edit && edit.sent === edit.to ? 'lost' : 'pending';
}

const judgePosition = (edit: Edit, server: number, isReset: boolean): Verdict =>
  !isReset && server >= (edit.to as number) ? 'done' : 'pending';

const rebased = (edit: Edit, server: unknown): Edit => ({
  from: server,
  to: edit.to,
  ...(hasToReset(edit, server) ? { reset: true } : {}),
});

/** Whether this version of the record does not have the reset yet. */
const hasToReset = ({ from, reset }: Edit, server: unknown): boolean =>
  reset === true && (from === true || server === false);

/**
 * Whether a PATCH that got no response may have reached the server before this version. One of its values is there, or
 * nothing looks changed though the record is newer: its other edits were made and undone, or another device did the
 * same and they never arrived. Sending them again could undo what somebody did who had seen them.
 */
function mayBeServed(base: Article, edits: Edits, article: Article): boolean {
  const sent = EDITABLE.filter((field) => edits[field] && 'sent' in edits[field]);
  if (sent.length === 0) return false;
  const isThere = (field: EditableField) => edits[field]!.sent === article[field] && article[field] !== base[field];
  return sent.some(isThere) || EDITABLE.every((field) => base[field] === article[field]);
}

/** A removal wins over edits of other devices, which are reported as lost. */
function mergeIntoRemoval(entry: Entry, base: Article, article: Article, order: number): Outcome {
  const lost: Lost = {};
  for (const field of EDITABLE) {
    const own = entry.edits?.[field];
    const isOwn = own !== undefined && (own.to === article[field] || own.sent === article[field]);
    // It is reset when the article is marked as unread, which counts on its own.
    if (field === 'read_position' && article[field] < base[field]) continue;
    if (article[field] !== base[field] && !isOwn) lost[field] = article[field];
  }
  const reason = 'deleted here, and edited on another device';
  return told({ ...entry, base: article, removal: { order } }, 'deleted-here-edited-remotely', lost, reason);
}

/** The record was deleted on the server, so the entry is deleted too. Pending edits are reported as lost. */
export function mergeDeletion(entry: Entry): Outcome {
  const lost = entry.removal ? {} : valuesOf(entry.edits ?? {});
  return { ...told(entry, 'deleted-remotely', lost, 'deleted on another device'), entry: undefined };
}

/** The entry after a successful PATCH. The request was conditional, so nobody else had changed the record. */
export function settle(entry: Entry, body: ArticlePatch, article: Article): Entry {
  const edits: Edits = {};
  for (const field of EDITABLE) {
    const edit = entry.edits?.[field];
    if (!edit) continue;
    const isDone =
      field === 'read_position'
        ? judgePosition(edit, article.read_position, isResetting(edits)) === 'done'
        : !hasToReset(edit, article[field]) && edit.to === (field in body ? body[field] : article[field]);
    if (!isDone) edits[field] = rebased(edit, article[field]);
  }
  return { ...entry, base: article, edits };
}

/**
 * The server has a record with the URL of a draft: created by this device, which lost the response, or by another
 * device. Either way they become one article. @param wasSent whether the draft was sent before without a response
 */
export function adopt(entry: Entry, article: Article, created = false, wasSent = entry.sent !== undefined): Outcome {
  const { draft, sent = draft!, ...rest } = entry;
  if (created || (wasSent && isOwn(sent, article))) {
    const base: Article = { ...sent, id: article.id, last_modified: 0, stored_on: article.stored_on };
    const adopted: Entry = { ...rest, base, edits: editsBetween(sent, draft!), marks: marksOf(draft!) };
    return created ? { entry: settle(adopted, {}, article) } : merge(adopted, article);
  }
  // The user removed what they had added; the other device's article is not affected.
  if (entry.removal) return { entry: undefined };
  const { edits, lost } = bothDid(draft!, article);
  return told({ ...rest, base: article, edits, marks: marksOf(draft!) }, 'merged', lost, 'added on another device too');
}

/** Whether this device, rather than another one, created the record. */
const isOwn = (sent: Draft, article: Article): boolean =>
  article.added_by === sent.added_by && article.added_on === sent.added_on && article.url === sent.url;

function editsBetween(sent: Draft, draft: Draft): Edits {
  const edits: Edits = {};
  for (const field of EDITABLE)
    if (sent[field] !== draft[field]) edits[field] = { from: sent[field], to: draft[field] };
  // The position decreases only when marked as unread.
  if (draft.read_position < sent.read_position) edits.unread = { from: sent.unread, to: draft.unread, reset: true };
  if (isResetting(edits)) edits.read_position = { from: sent.read_position, to: draft.read_position };
  if (draft.read_position === 0) delete edits.read_position;
  return edits;
}

/**
 * The same URL was added on two devices: applies the changes of this one to the record, above all what it knows of the
 * page and the record does not; values that conflict are lost.
 */
function bothDid(draft: Draft, article: Article): { edits: Edits; lost: Lost } {
  const edits: Edits = {};
  const lost: Lost = {};
  const unsetThere = defaultsOf(article);
  for (const [name, unset] of Object.entries(defaultsOf(draft))) {
    const field = name as EditableField;
    const [own, theirs] = [draft[field], article[field]];
    if (own === unset || own === '' || own === theirs || field in NO_MARKS) continue;
    const isMissing = (theirs === unsetThere[field] || theirs === '') && EDITABLE.includes(field);
    const isHigher = field === 'read_position' && draft[field] > article[field];
    if (isMissing || isHigher || typeof own === 'boolean') edits[field] = { from: theirs, to: own };
    else if (field !== 'read_position') lost[field] = own;
  }
  return { edits, lost };
}

const marksOf = ({ marked_read_by, marked_read_on }: Draft) => ({ marked_read_by, marked_read_on });

/** The server rejected the PATCH permanently: drops the fields it complained about and reports them. */
export function refusePatch(entry: Entry, body: ArticlePatch, error: ReadingListError): Outcome {
  const named = EDITABLE.filter((field) => field === error.field && field in body);
  const refused = named.length > 0 ? named : EDITABLE.filter((field) => field in body);
  const edits = { ...unsent(entry).edits };
  const lost: Lost = {};
  for (const field of refused) {
    const edit = edits[field];
    // A later value was not refused.
    if (!edit || (edit.to !== body[field] && !edit.reset)) continue;
    lost[field] = edit.to;
    delete edits[field];
  }
  return told({ ...entry, edits }, 'refused', lost, error);
}

/**
 * The server rejected the draft permanently: drops the field it complained about if possible, otherwise the draft.
 * Reports either.
 */
export function refuseDraft(entry: Entry, error: ReadingListError): Outcome {
  const { sent, ...rest } = entry;
  const draft = entry.draft!;
  // The user has changed it since, perhaps what was wrong.
  if (sent && EDITABLE.some((field) => sent[field] !== draft[field])) return { entry: rest };
  const defaults = defaultsOf(draft);
  const field = error.field as keyof Draft | undefined;
  if (field && field in defaults && draft[field] !== defaults[field])
    return told(
      { ...rest, draft: { ...draft, [field]: defaults[field] } },
      'refused',
      { [field]: draft[field] },
      error,
    );
  return { ...told(entry, 'refused', { ...draft }, error), entry: undefined };
}

/** The entry without its removal, and with what the user set when adding the URL again meanwhile. */
export function restore({ removal: _removal, ...entry }: Entry, again?: Entry): Outcome {
  if (!again) return { entry };
  const { edits, lost } = bothDid(again.draft!, visible(entry) as Article);
  const restored = edited(entry, valuesOf(edits), marksOf(again.draft!));
  return told(withAliases(restored, again), 'merged', lost, 'added again before the removal was undone');
}

/** The server refused permanently to delete the record: keeps it. */
export function refuseRemoval(entry: Entry, error: ReadingListError): Outcome {
  return {
    ...restore(entry),
    conflict: conflictOf(entry, 'refused', {}, error),
  };
}

/**
 * Two entries turned out to be the same record: applies the changes of the second one to the first. Where both changed
 * a field, the first one's value wins, but the higher position.
 */
export function fold(into: Entry, other: Entry): Outcome {
  const edits: Edits = { ...into.edits };
  const lost: Lost = {};
  for (const field of EDITABLE) {
    const [own, others] = [edits[field], other.edits?.[field]];
    if (!others || own?.to === others.to) continue;
    if (!own || (field === 'read_position' && (others.to as number) > (own.to as number))) edits[field] = others;
    else if (field !== 'read_position') lost[field] = others.to;
  }
  const marks = into.edits?.unread ? into.marks : other.marks;
  const entry: Entry = { ...into, base: other.base!, edits, marks };
  return told(withAliases(entry, other), 'merged', lost, 'two articles turned out to be the same page');
}

const withAliases = (entry: Entry, { key, aliases = [] }: Entry): Entry => ({
  ...entry,
  aliases: [...(entry.aliases ?? []), key, ...aliases],
});

function valuesOf(edits: Edits): Lost {
  return Object.fromEntries(Object.entries(edits).map(([field, { to }]) => [field, to]));
}

type Reason = string | ReadingListError;

function conflictOf(entry: Entry, kind: Conflict['kind'], lost: Lost, reason: Reason): Conflict {
  const { message, errno, field }: Partial<ReadingListError> =
    typeof reason === 'string' ? { message: reason } : reason;
  return { key: entry.key, url: urlOf(entry), kind, lost, reason: message, errno, field };
}

const told = (entry: Entry, kind: Conflict['kind'], lost: Lost, reason: Reason): Outcome =>
  Object.keys(lost).length === 0 ? { entry } : { entry, conflict: conflictOf(entry, kind, lost, reason) };
