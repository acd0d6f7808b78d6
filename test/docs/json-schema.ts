import { type Document, type Json, resolve } from './document.js';

const ANNOTATIONS = new Set(['description', 'default', 'example', 'style']);

/**
 * What is wrong with a value by a schema of the document, as `where: what`; empty when nothing is. Knows the keywords that
 * the document uses and throws for any other, so that none is overlooked.
 */
export function problemsOf(document: Document, schema: Json, value: unknown, at = '$'): string[] {
  return Object.entries(resolve(document, schema)).flatMap(([keyword, wanted]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = KEYWORDS[keyword];
    if (!check) throw new Error(`${at}: unknown keyword ${keyword}`);
    const found = check(wanted, value, (inner, part, key) => problemsOf(document, inner, part, `${at}.${key}`), schema);
    return found === true ? [] : found === false ? [`${at}: ${keyword} ${JSON.stringify(wanted)}`] : found;
  });
}

type Recurse = (schema: Json, value: unknown, key: string | number) => string[];
type Untyped = Json[string];
type Keyword = (wanted: Untyped, value: Untyped, recurse: Recurse, schema: Json) => boolean | string[];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPES: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isSafeInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
};

const FORMATS: Record<string, (value: string) => boolean> = {
  int64: () => true,
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  iri: (value) => URL.canParse(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
};

const KEYWORDS: Record<string, Keyword> = {
  type: (types: string | string[], value) => [types].flat().some((type) => TYPES[type]!(value)),
  format: (format: string, value) => typeof value !== 'string' || FORMATS[format]!(value),
  enum: (values: unknown[], value) => values.includes(value),
  pattern: (pattern: string, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minimum: (least: number, value) => typeof value !== 'number' || value >= least,
  maximum: (most: number, value) => typeof value !== 'number' || value <= most,
  minLength: (least: number, value) => typeof value !== 'string' || [...value].length >= least,
  maxLength: (most: number, value) => typeof value !== 'string' || [...value].length <= most,
  maxItems: (most: number, value) => !Array.isArray(value) || value.length <= most,
  required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  items: (schema: Json, value, recurse) =>
    Array.isArray(value) ? value.flatMap((item, at) => recurse(schema, item, at)) : true,
  properties: (properties: Json, value, recurse) =>
    Object.entries(properties).flatMap(([name, schema]) =>
      isObject(value) && Object.hasOwn(value, name) ? recurse(schema as Json, value[name], name) : [],
    ),
  propertyNames: (schema: Json, value, recurse) =>
    isObject(value) ? Object.keys(value).flatMap((name) => recurse(schema, name, name)) : true,
  additionalProperties: (schema: Json | boolean, value, recurse, { properties = {} }) => {
    const names = isObject(value) ? Object.keys(value).filter((name) => !Object.hasOwn(properties as Json, name)) : [];
    if (typeof schema === 'boolean') return schema || names.length === 0;
    return names.flatMap((name) => recurse(schema, (value as Json)[name], name));
  },
  allOf: (schemas: Json[], value, recurse) => schemas.flatMap((schema) => recurse(schema, value, '')),
  anyOf: (schemas: Json[], value, recurse) => schemas.some((schema) => recurse(schema, value, '').length === 0),
};
