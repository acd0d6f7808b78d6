import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateOpenApi } from '../../src/docs/generator/generate.js';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';
import { ERRORS } from '../../src/protocol/errno.js';
import { ARTICLE_FIELDS, QUERY_FIELDS } from '../../src/protocol/fields.js';
import { startApp, type TestApp } from '../support/app.js';
import { type Json, objectsIn, operationsOf, resolve, responsesOf } from './document.js';
import { problemsOf } from './json-schema.js';

let app: TestApp;
let generated: string;
let document: OpenAPIObject;

beforeAll(async () => {
  app = await startApp();
  generated = await generateOpenApi();
  document = JSON.parse(generated) as OpenAPIObject;
});
afterAll(() => app.close());

it('is what the committed openapi.json says', async () => {
  await expect(generated).toMatchFileSnapshot('../../openapi.json');
});

it('is served as the committed openapi.json says', async () => {
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
  expect(described.sort()).toEqual([...new Set([...routes, 'HEAD /v2/articles/{id}'])].sort());
});

it('documents every error with its status and number', () => {
  const documented = new Set<string>();
  for (const operation of operationsOf(document))
    for (const response of Object.values(responsesOf(document, operation)))
      for (const { value } of Object.values((response.content?.['application/json'].examples ?? {}) as Json))
        if (value.errno) documented.add(`${value.code} ${value.errno} ${value.error}`);
  expect([...documented].sort()).toEqual(
    Object.values(ERRORS)
      .map(({ status, errno, error }) => `${status} ${errno} ${error}`)
      .sort(),
  );
});

it('refers to what it has, and has what it refers to', () => {
  const used = new Set<string>();
  for (const object of objectsIn(document))
    if (typeof object.$ref === 'string') {
      resolve(document, object);
      used.add(object.$ref);
    }
  const { securitySchemes: _, ...components } = document.components!;
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
      const { schema, examples = {} } = body.content['application/json'] as Json;
      const where = `${operation.method} ${operation.path}`;
      if (operation.path !== '/v2/openapi.json') expect(Object.keys(examples as Json), where).not.toEqual([]);
      for (const { value } of Object.values(examples as Record<string, Json>))
        expect(problemsOf(document, schema as Json, value), where).toEqual([]);
    }
  }
});

it('gives right examples of fields and headers', () => {
  const { schemas, headers } = document.components as Json;
  for (const schema of objectsIn(schemas))
    if (schema.type && 'example' in schema) expect(problemsOf(document, schema, schema.example)).toEqual([]);
  for (const { schema, example } of Object.values(headers as Record<string, Json>))
    expect(problemsOf(document, schema as Json, example)).toEqual([]);
});

it('knows the fields of an article in their order', () => {
  expect(Object.keys((document.components!.schemas!.Article as Json).properties as Json)).toEqual(
    Object.keys(ARTICLE_FIELDS),
  );
});

describe('the filters', () => {
  const sample: Record<string, string> = { integer: '1', timestamp: '1', boolean: 'true' };

  it.each(['GET', 'HEAD', 'DELETE'])('of %s are all that the service takes', (method) => {
    const { says } = operationsOf(document).find((it) => it.method === method && it.path === '/v2/articles')!;
    const parameters = (says.parameters as Json[]).map((it) => resolve(document, it)).filter((it) => it.in === 'query');
    const names = parameters.flatMap(({ name, schema }) =>
      schema.type === 'object' ? Object.keys(schema.properties as Json) : [name as string],
    );
    const prefixes = ['', 'min_', 'max_', 'gt_', 'lt_', 'not_'];
    const filters = prefixes.flatMap((prefix) => Object.keys(QUERY_FIELDS).map((field) => prefix + field));
    const paging = method === 'DELETE' ? [] : ['_sort', '_limit', '_token'];
    expect(names.sort()).toEqual(['_since', '_to', ...filters, ...paging].sort());
  });

  it.each(Object.entries(QUERY_FIELDS))('on %s are read as documented', (field, kind) => {
    for (const prefix of ['', 'min_', 'max_', 'gt_', 'lt_', 'not_'])
      expect(parseCollectionQuery(`${prefix}${field}=${sample[kind] ?? 'x'}`).filters).toHaveLength(1);
  });
});
