export type { Article, ArticlePatch, Conflict, LocalArticle, NewArticle, Query, Tombstone } from './article.js';
export { MAX_LENGTHS } from './fields.js';
export { type ErrorKind, ReadingListError } from './errors.js';
export type { components, paths } from './openapi.js';
export { draftOf } from './replica/checks.js';
export { openReadingList, type ReadingList, type ReadingListOptions } from './replica/reading-list.js';
export type { Events, Status, SyncResult } from './replica/synchronizer.js';
export type { Changes, Storage, Value } from './storage/storage.js';
export type { BatchResponse, BatchRequest } from './wire/batch.js';
export {
  type Client,
  type ClientOptions,
  createClient,
  type ListQuery,
  type Page,
  type Service,
} from './wire/client.js';
export type { Alert } from './wire/headers.js';
export type { Authorization, CallOptions, Notice } from './wire/transport.js';
