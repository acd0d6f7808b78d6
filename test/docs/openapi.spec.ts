import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';
import { ERRORS } from '../../src/protocol/api-error.js';
import {
  type Field,
  FIELD_NAMES,
  FIELDS,
  type FieldKind,
  KINDS,
  fieldsWhere,
  QUERY_FIELDS,
} from '../../src/protocol/fields.js';
import { MAX_CODE_POINTS } from '../../src/protocol/fields.js';
import { baseHeaders } from '../../src/protocol/service-headers.js';
import { startApp, type TestApp } from '../support/app.js';
import { CONTRACT, type Document, type Json, objectsIn, operationsOf, resolve, responsesOf } from './document.js';
import { problemsOf } from './json-schema.js';

const document = JSON.parse(CONTRACT) as Document;
const schemas = document.components.schemas as Record<string, Json>;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as Json;
  expect((document.info as Json).version).toBe(version);
});

it('is served as the build wrote it', async () => {
  const served: unknown = await (await fetch(`${app.url}/v2/openapi.json`)).json();
  expect(served).toEqual(document);
});

it('describes every route of the router but the pages for people, and no other', () => {
  const { stack } = app.nest.getHttpAdapter().getInstance().router;
  const routes = stack.flatMap(({ route }) =>
    route && !/^\/(docs|app|\{\*path)/.test(route.path)
      ? route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
      : [],
  );
  const described = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual([...new Set([...routes, 'HEAD /v2/articles', 'HEAD /v2/articles/{id}'])].sort());
});

it('documents every error with its status and number', () => {
  const documented = new Set<string>();
  for (const operation of operationsOf(document))
    for (const response of Object.values(responsesOf(document, operation)))
      for (const { value } of examplesOf(response))
        if (value.errno) documented.add(`${value.code} ${value.errno} ${value.error}`);
  expect([...documented].sort()).toEqual(
    Object.values(ERRORS)
      .map(({ status, errno, error }) => `${status} ${errno} ${error}`)
      .sort(),
  );
});

it('documents an error under its status, and names its number in the description', () => {
  for (const operation of operationsOf(document))
    for (const [status, response] of Object.entries(responsesOf(document, operation)))
      for (const { value } of examplesOf(response)) {
        if (!value.errno) continue;
        const where = `${operation.method} ${operation.path} ${status}`;
        if (status !== 'default') expect(String(value.code), where).toBe(status);
        expect(response.description, where).toContain(`errno ${value.errno}`);
      }
});

it('refers to what it has, and has what it refers to', () => {
  const used = new Set<string>();
  for (const object of objectsIn(document))
    if (typeof object.$ref === 'string') {
      resolve(document, object);
      used.add(object.$ref);
    }
  const { securitySchemes: _, ...components } = document.components;
  const there = Object.entries(components).flatMap(([kind, named]) =>
    Object.keys(named as object).map((name) => `#/components/${kind}/${name}`),
  );
  expect([...used].sort()).toEqual(there.sort());
});

describe.each(['operationId', 'summary', 'description', 'tags'])('every operation has', (property) => {
  it(property, () => {
    for (const { method, path, says } of operationsOf(document))
      expect(says[property], `${method} ${path}`).toBeTruthy();
  });
});

it('gives every operation an id of its own', () => {
  const ids = operationsOf(document).map(({ says }) => says.operationId as string);
  expect(new Set(ids).size).toBe(ids.length);
});

it('gives an example for every body, and every example is right', () => {
  for (const operation of operationsOf(document)) {
    const bodies = [...Object.values(responsesOf(document, operation)), (operation.says.requestBody ?? {}) as Json];
    for (const body of bodies) {
      if (!body.content) continue;
      const where = `${operation.method} ${operation.path}`;
      const examples = examplesOf(body);
      if (operation.path !== '/v2/openapi.json') expect(examples, where).not.toEqual([]);
      for (const { value } of examples)
        expect(problemsOf(document, body.content['application/json'].schema as Json, value), where).toEqual([]);
    }
  }
});

it('gives right examples of fields and headers', () => {
  for (const schema of objectsIn(schemas))
    if (schema.type && 'example' in schema) expect(problemsOf(document, schema, schema.example)).toEqual([]);
  const headers = document.components.headers as Record<string, Json>;
  for (const { schema, example } of Object.values(headers))
    expect(problemsOf(document, schema as Json, example)).toEqual([]);
  const listed = baseHeaders('GET', '/v2/articles')['Access-Control-Expose-Headers'];
  expect(headers['Access-Control-Expose-Headers']!.example).toBe(listed);
});

/** The examples of the body of a request or response, with references resolved. */
function examplesOf({ content }: Json): { value: Json }[] {
  const examples = (content?.['application/json'].examples ?? {}) as Record<string, Json>;
  return Object.values(examples).map((example) => resolve(document, example) as { value: Json });
}

describe('the schemas of articles', () => {
  const number = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  const SCHEMAS: Record<FieldKind, Json> = {
    uuid: { type: 'string', format: 'uuid' },
    timestamp: number,
    integer: number,
    boolean: { type: 'boolean' },
    url: { type: 'string', format: 'iri', maxLength: MAX_CODE_POINTS.url },
    title: { type: 'string', maxLength: MAX_CODE_POINTS.title },
    label: { type: 'string', maxLength: MAX_CODE_POINTS.label },
    text: { type: 'string', maxLength: MAX_CODE_POINTS.text },
    device: { type: 'string', minLength: 1, maxLength: MAX_CODE_POINTS.device },
  };

  /** The schema of a field, without what is for readers. */
  const shape = (kind: FieldKind, nullable = false): Json => {
    const { type, ...limits } = SCHEMAS[kind];
    return { type: nullable ? [type, 'null'] : (type as string), ...limits };
  };
  const withoutWords = ({ description: _, example: __, ...schema }: Json): Json => schema;
  const propertiesOf = (name: string) => schemas[name]!.properties as Record<string, Json>;
  const defined = FIELDS as Record<string, Field>;

  it('have the fields of the table in their order, always all of them', () => {
    expect(Object.keys(propertiesOf('Article'))).toEqual(FIELD_NAMES);
    expect(schemas.Article!.required).toEqual(FIELD_NAMES);
    expect(schemas.ArticleFields!.properties).toEqual(schemas.Article!.properties);
  });

  it.each(FIELD_NAMES)('describe %s as the table does', (name) => {
    const { kind, nullable } = defined[name]!;
    const { description, example, ...schema } = propertiesOf('Article')[name]!;
    expect(schema).toEqual(shape(kind, nullable));
    expect(description).toBeTruthy();
    expect(example).toBeDefined();
  });

  it('let a POST have every field that the server does not set, and require those that devices have to provide', () => {
    const sent = fieldsWhere(({ givenBy }) => givenBy !== 'server');
    expect(Object.keys(propertiesOf('NewArticle')).sort()).toEqual([...sent].sort());
    expect(schemas.NewArticle!.required).toEqual(fieldsWhere(({ givenBy }) => givenBy === 'device'));
  });

  it.each(fieldsWhere(({ givenBy }) => givenBy === undefined))(
    'name the default of %s, and take null for it',
    (name) => {
      const { kind, default: value = null } = defined[name]!;
      const schema = propertiesOf('NewArticle')[name]!;
      const { maxLength: _, ...cut } = shape(kind, true);
      expect(withoutWords(schema)).toEqual(kind === 'text' ? cut : shape(kind, true));
      const plain = typeof value !== 'object' || value === null;
      const derived = !plain && ('now' in value ? 'the current time' : `the \`${value.sameAs}\``);
      expect(schema.description).toContain(`Default: ${derived || (value === '' ? 'empty' : `${value as string}`)}.`);
    },
  );

  it('let a PATCH have every field that is not read-only', () => {
    expect(Object.keys(propertiesOf('ArticlePatch'))).toEqual(fieldsWhere(({ patch }) => patch !== undefined));
    for (const [name, schema] of Object.entries(propertiesOf('ArticlePatch'))) {
      const { kind, nullable, default: value } = defined[name]!;
      const { maxLength: _, ...cut } = shape(kind, true);
      const hasDefault = KINDS[kind].type === 'text' && value !== undefined;
      const expected = kind === 'text' ? cut : shape(kind, nullable ?? hasDefault);
      expect(withoutWords(schema), name).toEqual(expected);
    }
  });
});

describe('the filters', () => {
  const PREFIXES = ['min_', 'max_', 'gt_', 'lt_', 'not_'];
  const samples = { number: '1', boolean: 'true', text: 'x' };

  const queryOf = (method: string): Json[] => {
    const { says } = operationsOf(document).find((it) => it.method === method && it.path === '/v2/articles')!;
    return (says.parameters as Json[]).map((it) => resolve(document, it)).filter((it) => it.in === 'query');
  };

  it.each(['GET', 'HEAD', 'DELETE'])('of %s are all that the service takes', (method) => {
    const names = queryOf(method).map(({ name }) => name as string);
    const paging = method === 'DELETE' ? [] : ['_sort', '_limit', '_token'];
    expect(names.sort()).toEqual(['_since', '_to', ...Object.keys(QUERY_FIELDS), 'comparisons', ...paging].sort());
  });

  it.each(Object.entries(QUERY_FIELDS))('on %s are read as documented', (field, kind) => {
    const types = { number: 'integer', boolean: 'boolean', text: 'string' };
    const parameters = queryOf('GET');
    expect(parameters.find(({ name }) => name === field)!.schema.type).toBe(types[KINDS[kind].type]);
    const comparisons = parameters.find(({ name }) => name === 'comparisons')!.schema as Json;
    for (const prefix of PREFIXES) expect(problemsOf(document, comparisons, { [prefix + field]: 1 })).toEqual([]);
    for (const prefix of ['', ...PREFIXES])
      expect(parseCollectionQuery(`${prefix}${field}=${samples[KINDS[kind].type]}`).filters).toHaveLength(1);
  });
});
