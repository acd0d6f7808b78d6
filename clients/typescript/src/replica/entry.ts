import {
  type Article,
  type ArticlePatch,
  type Draft,
  EDITABLE,
  type EditableField,
  type LocalArticle,
  type Marks,
  NO_MARKS,
} from '../article.js';

/** A user's change of a field: the server's value at that time, and the new value. */
export interface Edit {
  from: unknown;
  to: unknown;
  /** The value sent last without getting a response: the server may have it. */
  sent?: unknown;
  /**
   * Only for `unread`: before it gets `to`, the server has to go from read to unread, which resets the position and marks.
   */
  reset?: true;
}

export type Edits = Partial<Record<EditableField, Edit>>;

/**
 * An article as the device stores it: what the server is known to have, and the user's changes since. Immutable. Has
 * either `base` or `draft`.
 */
export interface Entry {
  key: string;
  /** Keys of entries that turned out to be the same article. */
  aliases?: string[];
  /** The record as the server last showed it. */
  base?: Article;
  edits?: Edits;
  /** Who marked it as read, and when, if `edits` do so. */
  marks?: Marks;
  /** An article that may not be on the server. */
  draft?: Draft;
  /** The draft as last sent without getting a response. */
  sent?: Draft;
  /** Set if the article is to be deleted; a higher `order` is a later removal. */
  removal?: { order: number; sent?: true };
  /** The number of the last full listing that contained it. */
  seen?: number | undefined;
}

/** Whether it has changes that are not on the server. */
export const isPending = ({ draft, edits = {}, removal }: Entry): boolean =>
  draft !== undefined || removal !== undefined || Object.keys(edits).length > 0;

export const urlOf = ({ base, draft }: Entry): string => (base ?? draft!).url;

/** The article as the user sees it. */
export function visible({ key, base, draft, edits = {}, marks, ...entry }: Entry): LocalArticle {
  const pending = isPending({ key, draft, edits, ...entry });
  const article = { ...(base ?? draft!), key, pending } as LocalArticle;
  if (isResetting(edits)) Object.assign(article, NO_MARKS, { read_position: 0 });
  if (edits.unread?.to === false) Object.assign(article, marks);
  for (const field of EDITABLE) if (edits[field]) Object.assign(article, { [field]: edits[field].to });
  return article;
}

/** Whether the server has yet to reset the position: until then, the one here cannot be sent or compared. */
export const isResetting = ({ unread }: Edits): boolean => unread?.to === true || unread?.reset === true;

/** The entry after the user set fields; `marks` are for `unread: false`. Returns the same entry if nothing changes. */
export function edited(entry: Entry, fields: Partial<Draft>, marks: Marks = NO_MARKS): Entry {
  const before = visible(entry);
  const changes = EDITABLE.filter((field) => fields[field] !== undefined && fields[field] !== before[field]).filter(
    (field) => field !== 'read_position' || fields.read_position! > before.read_position,
  );
  if (changes.length === 0) return entry;
  if (entry.draft) return { ...entry, draft: editedDraft(entry.draft, fields, changes, marks) };
  const edits = { ...entry.edits };
  const position = fields.unread ? 0 : before.read_position;
  if (edits.read_position && position < before.read_position) {
    // What is in flight may still reach the server.
    if ('sent' in edits.read_position) edits.read_position = { ...edits.read_position, to: position };
    else delete edits.read_position;
  }
  for (const field of changes) setEdit(edits, field, entry.base!, fields[field], position);
  return { ...entry, edits, marks: fields.unread === false && changes.includes('unread') ? marks : entry.marks };
}

function editedDraft(draft: Draft, fields: Partial<Draft>, changes: EditableField[], marks: Marks): Draft {
  const next: Draft = { ...draft };
  if (changes.includes('unread')) Object.assign(next, fields.unread ? { ...NO_MARKS, read_position: 0 } : marks);
  for (const field of changes) (next as Record<string, unknown>)[field] = fields[field];
  return next;
}

/** @param position that the user sees then */
function setEdit(edits: Edits, field: EditableField, base: Article, to: unknown, position: number): void {
  const { [field]: before, read_position: { sent = 0 } = {} } = edits;
  const edit: Edit = { from: before ? before.from : base[field], to };
  if (before && 'sent' in before) edit.sent = before.sent;
  // Unread, read, unread, or the reverse: nothing changed except the position.
  const isReset = edit.to === edit.from && position < Math.max(base.read_position, sent as number);
  if (field === 'unread' && (isReset || before?.reset)) edit.reset = true;
  // A position as high as before is one again after a reset.
  const isNothing = edit.to === edit.from && field !== 'read_position';
  if (isNothing && !('sent' in edit) && !edit.reset) delete edits[field];
  else edits[field] = edit;
}

/**
 * The body of the entry's next PATCH; the rest, if any, follows after its response. One that got no response is sent again
 * as it was: the condition of another body would say nothing about whether the server has this one.
 */
export function patchOf(entry: Entry): ArticlePatch {
  const { edits = {}, marks } = entry;
  const body: Record<string, unknown> = {};
  const isResent = isInDoubt(entry);
  for (const field of EDITABLE) {
    const edit = edits[field];
    if (!edit) continue;
    if (isResent) {
      if ('sent' in edit) body[field] = edit.sent;
      // Marking as unread resets the position, whatever the same request says.
    } else if (field !== 'read_position' || !isResetting(edits)) body[field] = edit.reset ? !edit.from : edit.to;
  }
  return body.unread === false ? { ...body, ...marks } : body;
}

/** The entry while the PATCH is in flight: until the response, the server may or may not have it. */
export function sending(entry: Entry, body: ArticlePatch): Entry {
  const edits = { ...entry.edits };
  for (const field of EDITABLE)
    if (edits[field] && field in body) edits[field] = { ...edits[field], sent: body[field] };
  return { ...entry, edits };
}

/** Whether a request that was sent earlier may have reached the server. */
export const isInDoubt = ({ edits = {}, sent, removal }: Entry): boolean =>
  sent !== undefined || removal?.sent === true || Object.values(edits).some((edit) => 'sent' in edit);

/** The entry when it is certain that the server did not carry out its request. */
export const unsent = ({ sent: _draft, edits = {}, removal, ...entry }: Entry): Entry => ({
  ...entry,
  edits: Object.fromEntries(Object.entries(edits).map(([field, { sent: _sent, ...edit }]) => [field, edit])),
  ...(removal ? { removal: { order: removal.order } } : {}),
});

/** The body of the POST for a draft; `null` means absent, except for the title. */
export const creationOf = (draft: Draft): Record<string, unknown> =>
  Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== null || name === 'title'));
