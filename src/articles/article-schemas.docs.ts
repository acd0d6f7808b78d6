import {
  ApiProperty,
  ApiSchema,
  IntersectionType,
  OmitType,
  PartialType,
  PickType,
  getSchemaPath,
} from '@nestjs/swagger';
import { Field } from '../docs/vocabulary/field-schemas.js';
import type { Article, Tombstone } from './article.js';

/** An article as every answer shows it. */
@ApiSchema({ name: 'Article', description: 'A live article, always with all its fields.' })
export class ArticleDto implements Article {
  @Field('id', { description: 'Given by the server, in lower case.', example: '6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11' })
  id: string;

  @Field('last_modified', {
    description: 'Server timestamp of the last change; no two changes of a user have the same.',
    example: 1760000000123,
  })
  last_modified: number;

  @Field('url', {
    description: 'Kept as it was sent; never changes. Unique among the live articles of a user.',
    example: 'https://example.com/tea',
  })
  url: string;

  @Field('preview', {
    description: 'The address of a picture.',
    nullable: true,
    example: 'https://example.com/tea.jpg',
  })
  preview: string | null;

  @Field('title', { description: 'May be empty or null.', nullable: true, example: 'How to make tea' })
  title: string | null;

  @Field('resolved_url', {
    description: 'The address after redirects. Unique among the live articles of a user.',
    example: 'https://example.com/tea',
  })
  resolved_url: string;

  @Field('resolved_title', { description: 'The title of the page itself.', nullable: true, example: 'Tea' })
  resolved_title: string | null;

  @Field('excerpt', { description: 'The first 200 words or so; kept whatever its length.', example: 'Boil the water.' })
  excerpt: string;

  @Field('archived', { description: 'Put away.', example: false })
  archived: boolean;

  @Field('favorite', { description: 'Marked by the user.', example: true })
  favorite: boolean;

  @Field('is_article', { description: 'False for a page without text.', example: true })
  is_article: boolean;

  @Field('word_count', { description: 'Number of words of the text.', nullable: true, example: 231 })
  word_count: number | null;

  @Field('unread', { description: 'Not read yet.', example: true })
  unread: boolean;

  @Field('added_by', { description: 'Name of the device that added it.', example: 'laptop' })
  added_by: string;

  @Field('added_on', { description: 'When, by the clock of that device.', example: 1760000000000 })
  added_on: number;

  @Field('stored_on', { description: 'When the server stored it.', example: 1760000000123 })
  stored_on: number;

  @Field('marked_read_by', { description: 'Name of the device it was read on.', nullable: true, example: null })
  marked_read_by: string | null;

  @Field('marked_read_on', { description: 'When, by its clock.', nullable: true, example: null })
  marked_read_on: number | null;

  @Field('read_position', { description: 'Words read so far; never falls.', example: 0 })
  read_position: number;
}

const REQUIRED = ['url', 'title', 'added_by'] as const;
const GIVEN_BY_SERVER = ['id', 'last_modified', 'stored_on'] as const;

/** The body of a POST. */
@ApiSchema({
  name: 'NewArticle',
  description:
    'What the server gives by itself (`id`, `last_modified`, `stored_on`) and unknown fields are ignored. `null` counts as ' +
    'absent, but for `title`. An absent `resolved_url` is the `url`, `resolved_title` the `title`, `added_on` the present. ' +
    'Booleans may also be `"true"`, `"false"`, 1 or 0, integers decimal digits in a string.',
})
export class NewArticleDto extends IntersectionType(
  PickType(ArticleDto, REQUIRED),
  PartialType(OmitType(ArticleDto, [...REQUIRED, ...GIVEN_BY_SERVER])),
) {}

const DEFAULTS = {
  excerpt: '',
  archived: false,
  favorite: false,
  is_article: true,
  word_count: null,
  unread: true,
  marked_read_by: null,
  marked_read_on: null,
  read_position: 0,
  preview: null,
} as const satisfies Partial<Article>;
for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[])
  Field(name, { required: false, default: DEFAULTS[name] })(NewArticleDto.prototype, name);

/** The body of a PATCH. */
@ApiSchema({
  name: 'ArticlePatch',
  description:
    'Any of these fields. The read-only ones are accepted as long as they hold what is stored, unknown ones are ignored. ' +
    'Values may be spelt as in a POST.',
})
export class ArticlePatchDto extends PartialType(
  OmitType(ArticleDto, [...GIVEN_BY_SERVER, 'url', 'preview', 'added_by', 'added_on']),
) {}

/** The answer to a PATCH when only some fields are wanted. */
@ApiSchema({ name: 'ArticleFields', description: 'Some fields of an article, possibly none.' })
export class ArticleFieldsDto extends PartialType(ArticleDto) {}

/** What is left of a deleted article. */
@ApiSchema({ name: 'Tombstone', description: 'What is left of a deleted article.' })
export class TombstoneDto implements Tombstone {
  @Field('id', { example: '6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11' })
  id: string;

  @Field('last_modified', { description: 'Server timestamp of the deletion.', example: 1760000000456 })
  last_modified: number;

  @ApiProperty({ type: 'boolean', enum: [true] })
  deleted: true;
}

/** The answer to a collection DELETE. */
@ApiSchema({ name: 'Tombstones', description: 'One tombstone for each deleted article, the oldest change first.' })
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
    description: 'Articles; tombstones too when the listing is filtered on `last_modified`.',
  })
  items: (ArticleDto | TombstoneDto)[];
}
