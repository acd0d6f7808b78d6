import {
  type Article,
  type ArticlePatch,
  type Draft,
  EDITABLE,
  type EditableField,
  type LocalArticle,
} from '../article.js';

/** A field that the user changed: what it was on the server then, and what it is to be. */
export interface Edit {
  from: unknown;
  to: unknown;
  /** What was sent of it last, when no answer came: the server may have it. */
  sent?: unknown;
  /** Of `unread`: read and unread again, so that the server has to reset what being read left behind. */
  reset?: true;
}

export type Edits = Partial<Record<EditableField, Edit>>;
export type Marks = Pick<Article, 'marked_read_by' | 'marked_read_on'>;

/**
 * An article as the device keeps it: what the server is known to have, and what the user did since. Immutable. Either `base`
 * or `draft` is there.
 */
export interface Entry {
  key: string;
  /** Keys of what turned out to be the same article. */
  aliases?: string[];
  /** The record as the server last showed it. */
  base?: Article;
  edits?: Edits;
  /** Who marked it read, when `edits` do. */
  marks?: Marks;
  /** An article that the server is not known to have. */
  draft?: Draft;
  /** The draft as it was sent last, when no answer came. */
  sent?: Draft;
  /** To be deleted; a higher order is a later removal. */
  removal?: { order: number; sent?: true };
  /** The walk through the whole collection that saw it last. */
  seen?: number;
}

export const NO_MARKS: Marks = { marked_read_by: null, marked_read_on: null };

/** Whether the server lacks something that the user did. */
export const isPending = ({ draft, edits, removal }: Entry): boolean =>
  draft !== undefined || removal !== undefined || (edits !== undefined && Object.keys(edits).length > 0);

/** The article as the user sees it. */
export function visible({ key, base, draft, edits, marks, ...entry }: Entry): LocalArticle {
  const article = { key, ...(base ?? draft!), pending: isPending({ key, draft, edits, ...entry }) } as LocalArticle;
  if (!edits) return article;
  if (edits.unread?.to === true) Object.assign(article, NO_MARKS, { read_position: 0 });
  if (edits.unread?.to === false) Object.assign(article, marks);
  for (const field of EDITABLE) if (edits[field]) Object.assign(article, { [field]: edits[field].to });
  return article;
}

/** The entry after the user set fields; `marks` go with `unread: false`. What changes nothing leaves the entry as it is. */
export function edited(entry: Entry, fields: Partial<Draft>, marks: Marks = NO_MARKS): Entry {
  const before = visible(entry);
  const changes = EDITABLE.filter((field) => fields[field] !== undefined && fields[field] !== before[field]).filter(
    (field) => field !== 'read_position' || fields.read_position! > before.read_position,
  );
  if (changes.length === 0) return entry;
  if (entry.draft) return { ...entry, draft: editedDraft(entry.draft, fields, changes, marks) };
  const edits = { ...entry.edits };
  if (fields.unread === true && changes.includes('unread')) delete edits.read_position;
  for (const field of changes) setEdit(edits, field, entry.base!, fields[field]);
  return { ...entry, edits, marks: fields.unread === false && changes.includes('unread') ? marks : entry.marks };
}

function editedDraft(draft: Draft, fields: Partial<Draft>, changes: EditableField[], marks: Marks): Draft {
  const next: Draft = { ...draft };
  if (changes.includes('unread')) Object.assign(next, fields.unread ? { ...NO_MARKS, read_position: 0 } : marks);
  for (const field of changes) (next as Record<string, unknown>)[field] = fields[field];
  return next;
}

function setEdit(edits: Edits, field: EditableField, base: Article, to: unknown): void {
  const { [field]: before } = edits;
  const edit: Edit = { from: before ? before.from : base[field], to };
  if (before && 'sent' in before) edit.sent = before.sent;
  // Unread, read, unread: nothing changed, but for the position that being read again from the beginning resets.
  if (field === 'unread' && to === true && edit.from === true && base.read_position > 0) edit.reset = true;
  if (edit.to === edit.from && !('sent' in edit) && !edit.reset) delete edits[field];
  else edits[field] = edit;
}

/** What a PATCH has to say of the entry now. The rest, if any, follows once this one is answered. */
export function patchOf({ edits = {}, marks }: Entry): ArticlePatch {
  const body: Record<string, unknown> = {};
  for (const field of EDITABLE) {
    // Becoming unread resets the position, whatever the same request says about it.
    if (!edits[field] || (field === 'read_position' && edits.unread?.to === true)) continue;
    body[field] = field === 'unread' && edits[field].reset ? false : edits[field].to;
  }
  return body.unread === false ? { ...body, ...marks } : body;
}

/** The entry once the PATCH is on its way: until it is answered, the server may or may not have it. */
export function sending(entry: Entry, body: ArticlePatch): Entry {
  const edits = { ...entry.edits };
  for (const field of EDITABLE)
    if (edits[field] && field in body) edits[field] = { ...edits[field], sent: body[field] };
  return { ...entry, edits };
}

/** The body that creates a draft: `null` means absent, but for the title. */
export const creationOf = (draft: Draft): Record<string, unknown> =>
  Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== null || name === 'title'));
