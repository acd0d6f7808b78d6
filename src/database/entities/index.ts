import type { EntitySchema } from 'typeorm';
import { accountEntity } from './account.entity.js';
import { articleEntity } from './article.entity.js';
import { columnTypes, type DatabaseType } from './columns.js';
import { deprovisionedEntity } from './deprovisioned.entity.js';
import { tokenEntity } from './token.entity.js';

/**
 * All entities, with the column types of the database; `test/system/schema.spec.ts` compares them with the migrations.
 */
export function entitiesFor(database: DatabaseType): EntitySchema[] {
  const types = columnTypes(database);
  return [accountEntity, articleEntity, deprovisionedEntity, tokenEntity].map(
    (entity) => entity(types) as EntitySchema,
  );
}
