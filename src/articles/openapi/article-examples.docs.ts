import type { Examples } from '../../docs/vocabulary/responses.js';
import { type Field, FIELD_NAMES, FIELDS, fieldsWhere } from '../../protocol/fields.js';
import type { Article, Tombstone } from '../article.js';

const article = Object.fromEntries(FIELD_NAMES.map((name) => [name, FIELDS[name].example])) as unknown as Article;
const reading = { unread: false, marked_read_by: 'phone', marked_read_on: 1760000000400, read_position: 231 };
const read: Article = { ...article, last_modified: 1760000000456, ...reading };
const tombstone: Tombstone = {
  id: '0d1f9a52-6a0c-4b7e-8d0b-3f4f1f6f6c22',
  last_modified: 1760000000300,
  deleted: true,
};

/** The fields of a POST, with their examples. */
const posted = (isSent: (field: Field) => boolean) =>
  Object.fromEntries(fieldsWhere(isSent).map((name) => [name, article[name]]));
const shortest = posted(({ givenBy }) => givenBy === 'device');
const known = posted(({ givenBy, example }) => givenBy !== 'server' && example !== null);

const example = (summary: string, value: unknown): Examples => ({ example: { summary, value } });

/** Example bodies for each request and response of the article operations. */
export const EXAMPLES = {
  article: example('A live article', article),
  list: {
    live: { summary: 'Live articles', value: { items: [article] } },
    changes: { summary: 'Changes since a timestamp: `_since=1760000000200`', value: { items: [read, tombstone] } },
  },
  create: {
    shortest: {
      summary: 'Only the required fields',
      value: shortest,
    },
    full: {
      summary: 'With optional fields',
      value: known,
    },
  },
  patch: {
    read: {
      summary: 'Mark as read',
      value: reading,
    },
    favorite: { summary: 'Change one field', value: { favorite: true } },
  },
  patched: {
    full: { summary: '`Response-Behavior: full`, or no header: the record', value: read },
    light: {
      summary: '`light`: what the request changed',
      value: reading,
    },
    diff: {
      summary: '`diff`: fields stored with another value than the one sent',
      value: { read_position: reading.read_position },
    },
    nothing: { summary: '`diff`, if everything was stored as sent', value: {} },
  },
  tombstone: example('A deleted article', tombstone),
  tombstones: example('Deleted articles', { items: [tombstone] }),
} satisfies Record<string, Examples>;
