import { ApiProperty, ApiSchema, IntersectionType, PartialType, PickType, getSchemaPath } from '@nestjs/swagger';
import { Field } from '../../docs/vocabulary/field-schemas.js';
import {
  type ArticleField,
  type Field as FieldDefinition,
  FIELD_NAMES,
  FIELDS,
  fieldsWhere,
} from '../../protocol/fields.js';
import type { Tombstone } from '../article.js';

/** An article as in every response: each field of the table is a property. */
@ApiSchema({ name: 'Article', description: 'A live article, always with all its fields.' })
export class ArticleDto {}
for (const name of FIELD_NAMES) Field(name)(ArticleDto.prototype, name);

/** The named properties of an article. */
const only = (names: readonly ArticleField[]) => PickType(ArticleDto, names as readonly never[]);

const REQUIRED = fieldsWhere(({ givenBy }) => givenBy === 'device');
const OPTIONAL = fieldsWhere(({ givenBy }) => givenBy === undefined);

/** The value of a new article sent without the field, in words. */
function defaultOf(name: ArticleField): string {
  const { default: value = null }: FieldDefinition = FIELDS[name];
  if (typeof value !== 'object' || value === null) return value === '' ? 'empty' : String(value);
  return 'now' in value ? 'the current time' : `the \`${value.sameAs}\``;
}

/** The body of a POST. */
@ApiSchema({
  name: 'NewArticle',
  description:
    'All other fields, such as those that the server sets, are ignored. `null` counts as absent, except for `title`. ' +
    'Booleans may also be `"true"`, `"false"`, 1 or 0, and integers may be strings of decimal digits.',
})
export class NewArticleDto extends IntersectionType(only(REQUIRED), PartialType(only(OPTIONAL))) {}

// In words, because client generators treat a property with `default` as always present, and so require it in a POST.
for (const name of OPTIONAL) {
  const { description } = FIELDS[name];
  const options = { required: false, nullable: true, description: `${description} Default: ${defaultOf(name)}.` };
  Field(name, options)(NewArticleDto.prototype, name);
}

/** The body of a PATCH. */
@ApiSchema({
  name: 'ArticlePatch',
  description:
    'Any of these fields. Read-only fields are accepted if they equal the stored value; unknown ones are ignored. Values may ' +
    'be written as in a POST. `null` gives a text its default.',
})
export class ArticlePatchDto extends PartialType(only(fieldsWhere(({ patch }) => patch !== undefined))) {}

for (const name of fieldsWhere(({ patch, kind }) => patch !== undefined && (kind === 'url' || kind === 'text')))
  Field(name, { required: false, nullable: true })(ArticlePatchDto.prototype, name);

/** The response to a PATCH that returns only some fields. */
@ApiSchema({ name: 'ArticleFields', description: 'Some fields of an article, possibly none.' })
export class ArticleFieldsDto extends PartialType(ArticleDto) {}

/** What is left of a deleted article. */
@ApiSchema({ name: 'Tombstone', description: 'What remains of a deleted article.' })
export class TombstoneDto implements Tombstone {
  @Field('id', { example: '6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11' })
  id: string;

  @Field('last_modified', { description: 'Server timestamp of the deletion.', example: 1760000000456 })
  last_modified: number;

  @ApiProperty({ type: 'boolean', enum: [true] })
  deleted: true;
}

/** The response to a DELETE of the collection. */
@ApiSchema({ name: 'Tombstones', description: 'One tombstone for each deleted article, earliest change first.' })
export class TombstonesDto {
  @ApiProperty({ type: [TombstoneDto] })
  items: TombstoneDto[];
}

/** A page of a listing. */
@ApiSchema({ name: 'Listing' })
export class ListingDto {
  @ApiProperty({
    type: 'array',
    items: { anyOf: [{ $ref: getSchemaPath(ArticleDto) }, { $ref: getSchemaPath(TombstoneDto) }] },
    description: 'Articles, and also tombstones if the listing is filtered on `last_modified`.',
  })
  items: (ArticleDto | TombstoneDto)[];
}
