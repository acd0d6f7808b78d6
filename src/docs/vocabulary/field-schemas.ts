import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  type ArticleField,
  type Field as FieldDefinition,
  type FieldKind,
  FIELDS,
  MAX_CODE_POINTS,
} from '../../protocol/fields.js';
import type { Schema } from './open-api.js';

const integer: Schema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** The schema of a field of each kind in a response body. */
const FIELD_SCHEMAS: Readonly<Record<FieldKind, Schema>> = {
  uuid: { type: 'string', format: 'uuid' },
  timestamp: integer,
  integer,
  boolean: { type: 'boolean' },
  url: { type: 'string', format: 'iri', maxLength: MAX_CODE_POINTS.url },
  title: { type: 'string', maxLength: MAX_CODE_POINTS.title },
  text: { type: 'string' },
  device: { type: 'string', minLength: 1, maxLength: MAX_CODE_POINTS.device },
};

/** Documents a property as the article field of that name. */
export function Field(name: ArticleField, options: ApiPropertyOptions = {}): PropertyDecorator {
  const { kind, description, nullable, example }: FieldDefinition = FIELDS[name];
  return ApiProperty({ ...FIELD_SCHEMAS[kind], description, nullable, example, ...options } as ApiPropertyOptions);
}

/** The schema of a filter on a field of that kind; it accepts more values than the field can hold. */
export function filterSchema(kind: FieldKind): Schema {
  const { type, format } = FIELD_SCHEMAS[kind];
  if (type === 'integer') return { type, format, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  return { type };
}
