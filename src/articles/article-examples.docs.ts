import type { Examples } from '../docs/vocabulary/answers.js';
import type { Article, Tombstone } from './article.js';

const article: Article = {
  id: '6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11',
  last_modified: 1760000000123,
  url: 'https://example.com/tea',
  preview: null,
  title: 'How to make tea',
  resolved_url: 'https://example.com/tea',
  resolved_title: 'How to make tea',
  excerpt: 'Boil the water.',
  archived: false,
  favorite: false,
  is_article: true,
  word_count: 231,
  unread: true,
  added_by: 'laptop',
  added_on: 1760000000000,
  stored_on: 1760000000123,
  marked_read_by: null,
  marked_read_on: null,
  read_position: 0,
};
const read: Article = {
  ...article,
  last_modified: 1760000000456,
  unread: false,
  marked_read_by: 'phone',
  marked_read_on: 1760000000400,
  read_position: 231,
};
const tombstone: Tombstone = {
  id: '0d1f9a52-6a0c-4b7e-8d0b-3f4f1f6f6c22',
  last_modified: 1760000000300,
  deleted: true,
};

const example = (summary: string, value: unknown): Examples => ({ example: { summary, value } });

/** One or more bodies for each request and answer of the article operations. */
export const EXAMPLES = {
  article: example('A live article', article),
  list: {
    live: { summary: 'Live articles', value: { items: [article] } },
    changes: { summary: 'What changed: `_since=1760000000200`', value: { items: [read, tombstone] } },
  },
  create: {
    shortest: {
      summary: 'Only what is required',
      value: { url: 'https://example.com/tea', title: 'How to make tea', added_by: 'laptop' },
    },
    full: {
      summary: 'What a device knows about a page',
      value: {
        url: 'https://example.com/t',
        title: 'tea',
        added_by: 'laptop',
        added_on: 1760000000000,
        resolved_url: 'https://example.com/tea',
        resolved_title: 'How to make tea',
        excerpt: 'Boil the water.',
        preview: 'https://example.com/tea.jpg',
        word_count: 231,
        is_article: true,
      },
    },
  },
  patch: {
    read: {
      summary: 'Mark as read',
      value: { unread: false, marked_read_by: 'phone', marked_read_on: 1760000000400, read_position: 231 },
    },
    favorite: { summary: 'Change one field', value: { favorite: true } },
  },
  patched: {
    full: { summary: '`Response-Behavior: full`, or none: the record', value: read },
    light: {
      summary: '`light`: what the request changed',
      value: { unread: false, marked_read_by: 'phone', marked_read_on: 1760000000400, read_position: 231 },
    },
    diff: { summary: '`diff`: what is stored otherwise than it was sent', value: { read_position: 231 } },
    nothing: { summary: '`diff`, when all is as it was sent', value: {} },
  },
  tombstone: example('A deleted article', tombstone),
  tombstones: example('Deleted articles', { items: [tombstone] }),
} satisfies Record<string, Examples>;
