import { ApiQuery } from '@nestjs/swagger';
import { filterSchema } from '../../docs/vocabulary/field-schemas.js';
import { type QueryField, QUERY_FIELDS } from '../../protocol/fields.js';

const FIELDS = Object.keys(QUERY_FIELDS) as QueryField[];

const COMPARISONS = {
  min: 'at least',
  max: 'at most',
  gt: 'greater than',
  lt: 'less than',
  not: 'other than, or null',
} as const;

/** Parameters such as `min_read_position`: every prefix with every field. */
function comparisons(): MethodDecorator {
  const names = (Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[]).flatMap((prefix) =>
    FIELDS.map((field) => {
      const description = `${field}: ${COMPARISONS[prefix]}`;
      return [`${prefix}_${field}`, { ...filterSchema(QUERY_FIELDS[field]), description }] as const;
    }),
  );
  return ApiQuery({
    name: 'comparisons',
    required: false,
    description:
      'Each property is a separate query parameter, `?min_read_position=1&not_title=`: a field with the prefix `min_` ' +
      '(at least), `max_` (at most), `gt_` (greater than), `lt_` (less than) or `not_` (any other value, or null). All ' +
      'except `not_` exclude records in which the field is null.',
    style: 'form',
    explode: true,
    schema: { type: 'object', additionalProperties: false, properties: Object.fromEntries(names), example: {} },
  });
}

const filter = (field: QueryField): MethodDecorator =>
  ApiQuery({
    name: field,
    required: false,
    description: field === 'deleted' ? 'True for tombstones, false for live records.' : `\`${field}\` equals this.`,
    schema: filterSchema(QUERY_FIELDS[field]),
  });

const timestamp = (name: string, description: string): MethodDecorator =>
  ApiQuery({ name, required: false, description, schema: filterSchema('timestamp') });

/** The parameters that select the records of an operation. */
export const filters = (): MethodDecorator[] => [
  timestamp('_since', 'Changed or deleted after this timestamp; the same as `gt_last_modified`.'),
  timestamp('_to', 'Changed or deleted before this timestamp; the same as `lt_last_modified`.'),
  ...FIELDS.map(filter),
  comparisons(),
];

const sortKey = `-?(${FIELDS.join('|')})`;

/** The parameters for sorting and paging. */
export const pages = (): MethodDecorator[] => [
  ApiQuery({
    name: '_sort',
    required: false,
    description:
      'Fields to sort by; `-` before a field reverses its order, as in `-favorite,title`. True comes before false, and null ' +
      'before everything else. By default the latest change comes first (`-last_modified`), or the earliest ' +
      '(`last_modified`) if the listing is filtered on `last_modified`.',
    schema: { type: 'string', pattern: `^( *${sortKey} *(, *${sortKey} *)*)?$` },
  }),
  ApiQuery({
    name: '_limit',
    required: false,
    description: 'Items per page, at most the page size of the service.',
    schema: { type: 'integer', minimum: 1 },
  }),
  ApiQuery({
    name: '_token',
    required: false,
    description: 'Where the page begins. Opaque: follow `Next-Page` instead of constructing one.',
    schema: { type: 'string' },
  }),
];
