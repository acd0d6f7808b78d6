import type { EntitySchema } from 'typeorm';
import { accountEntity, deprovisionedEntity } from './account.entity.js';
import { articleEntity } from './article.entity.js';
import { columnTypes, type DatabaseType } from './columns.js';
import { tokenEntity } from './token.entity.js';

/** All entities, with the column types of the database. */
export function entitiesFor(database: DatabaseType): EntitySchema[] {
  const types = columnTypes(database);
  return [accountEntity, articleEntity, deprovisionedEntity, tokenEntity].map(
    (entity) => entity(types) as EntitySchema,
  );
}
