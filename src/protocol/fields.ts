/** What all values of a kind have in common. */
export interface Kind {
  type: 'text' | 'number' | 'boolean';
  /** Its values may be the empty text, which then is not the same as null. */
  mayBeEmpty?: true;
}

/** The kinds of values; the compiler names the other tables that a new one belongs to. Only a `text` is cut if too long. */
export const KINDS = {
  uuid: { type: 'text' },
  timestamp: { type: 'number' },
  integer: { type: 'number' },
  boolean: { type: 'boolean' },
  url: { type: 'text' },
  title: { type: 'text', mayBeEmpty: true },
  label: { type: 'text', mayBeEmpty: true },
  text: { type: 'text', mayBeEmpty: true },
  device: { type: 'text' },
} as const satisfies Readonly<Record<string, Kind>>;

export type FieldKind = keyof typeof KINDS;

/** A value as stored and as sent in responses: a typed JSON scalar. */
export type FieldValue = string | number | boolean | null;

/** The maximum lengths in code points. They bound a record, so that nothing else needs to ask how large one is. */
export const MAX_CODE_POINTS = { url: 2048, title: 1024, label: 255, device: 255, text: 16_000 } as const;

/** The definition of a field, from which everything else is derived; openapi.yaml describes the fields for clients. */
export interface Field {
  kind: FieldKind;
  nullable?: true;
  /** Who has to provide the value of a new article; otherwise it is optional. */
  givenBy?: 'device' | 'server';
  /** For a new article sent without a value, and after a PATCH clears the field. `now` is the time of creation. */
  default?: FieldValue | { now: true } | { sameAs: 'url' | 'title' };
  /** Whether a PATCH may change it, `on reading` only when it marks the article as read. Other fields are read-only. */
  patch?: 'always' | 'on reading';
}

/** The fields of an article in the order in which responses show them (docs/protocol.md, "Articles"). */
export const FIELDS = {
  id: { kind: 'uuid', givenBy: 'server' },
  last_modified: { kind: 'timestamp', givenBy: 'server' },
  url: { kind: 'url', givenBy: 'device' },
  preview: { kind: 'url', nullable: true, default: null },
  title: { kind: 'title', nullable: true, givenBy: 'device', patch: 'always' },
  resolved_url: { kind: 'url', default: { sameAs: 'url' }, patch: 'always' },
  resolved_title: { kind: 'title', nullable: true, default: { sameAs: 'title' }, patch: 'always' },
  excerpt: { kind: 'text', default: '', patch: 'always' },
  archived: { kind: 'boolean', default: false, patch: 'always' },
  favorite: { kind: 'boolean', default: false, patch: 'always' },
  is_article: { kind: 'boolean', default: true, patch: 'always' },
  word_count: { kind: 'integer', nullable: true, default: null, patch: 'always' },
  unread: { kind: 'boolean', default: true, patch: 'always' },
  added_by: { kind: 'device', givenBy: 'device' },
  added_on: { kind: 'timestamp', default: { now: true } },
  stored_on: { kind: 'timestamp', givenBy: 'server', default: { now: true } },
  marked_read_by: { kind: 'device', nullable: true, default: null, patch: 'on reading' },
  marked_read_on: { kind: 'timestamp', nullable: true, default: null, patch: 'on reading' },
  read_position: { kind: 'integer', default: 0, patch: 'always' },
} as const satisfies Record<string, Field>;

export type ArticleField = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as readonly ArticleField[];

/** The names of the fields that satisfy a predicate, in order. */
export const fieldsWhere = (isWanted: (field: Field) => boolean): readonly ArticleField[] =>
  FIELD_NAMES.filter((name) => isWanted(FIELDS[name]));

/** The fields with texts that devices choose. */
export const TEXT_FIELDS = fieldsWhere(({ kind }) => kind !== 'uuid' && KINDS[kind].type === 'text');

/** The most bytes that a record takes as JSON without what its texts contain: names, and up to 40 bytes for each value. */
export const MAX_FIXED_BYTES = FIELD_NAMES.join('').length + 44 * FIELD_NAMES.length;

/** The most bytes that a character of a text takes as JSON: control characters are escaped. */
export const MAX_CHARACTER_BYTES = 6;

const limits: Partial<Record<FieldKind, number>> = MAX_CODE_POINTS;
const mostCharacters = TEXT_FIELDS.reduce((sum, name) => sum + limits[FIELDS[name].kind]!, 0);
/** The most bytes that a record takes as JSON. */
export const MAX_RECORD_BYTES = MAX_FIXED_BYTES + MAX_CHARACTER_BYTES * mostCharacters;

const kinds = FIELD_NAMES.map((name) => [name, FIELDS[name].kind]);
export const ARTICLE_FIELDS = Object.fromEntries(kinds) as Readonly<Record<ArticleField, FieldKind>>;

/** The fields for filters and sorting: those of an article and `deleted`, which is true for tombstones. */
export const QUERY_FIELDS = { ...ARTICLE_FIELDS, deleted: 'boolean' } as const satisfies Record<string, FieldKind>;

export type QueryField = keyof typeof QUERY_FIELDS;

export const isQueryField = (name: string): name is QueryField => Object.hasOwn(QUERY_FIELDS, name);

type ValueOf<K extends FieldKind> = { text: string; number: number; boolean: boolean }[(typeof KINDS)[K]['type']];

/** The value of every field of a live article. */
export type FieldValues = {
  -readonly [F in ArticleField]:
    ValueOf<(typeof FIELDS)[F]['kind']> | ((typeof FIELDS)[F] extends { nullable: true } ? null : never);
};
