import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../src/docs/docs.controller.js';

/** Any JSON object, its parts as untyped as `JSON.parse` leaves them. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>;

/** An OpenAPI document, as untyped as `JSON.parse` leaves it but for what the service fills in. */
export type Document = OpenApiDocument & { components: Json };

/** The text of the document that the build wrote. */
export const CONTRACT = readFileSync('dist/openapi.json', 'utf8');

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** One operation of an OpenAPI document. */
export interface Operation {
  /** In capitals. */
  method: string;
  path: string;
  /** What the document says about it, including what it says of the whole path or of all operations. */
  says: Json;
}

/** All operations of a document in its order. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const says = (item as Json)[method];
      if (!says) return [];
      const { security = document.security, parameters = [] } = says as Json;
      const all = [...(((item as Json).parameters ?? []) as Json[]), ...(parameters as Json[])];
      return [{ method: method.toUpperCase(), path, says: { ...(says as Json), security, parameters: all } }];
    }),
  );
}

/** The thing itself, or what it refers to within the document. Throws when it refers to nothing. */
export function resolve(document: Document, thing: Json): Json {
  if (typeof thing.$ref !== 'string') return thing;
  const found = thing.$ref
    .replace('#/', '')
    .split('/')
    .reduce<Json | undefined>((node, key) => node?.[key] as Json | undefined, document as Json);
  if (!found) throw new Error(`${thing.$ref} refers to nothing`);
  return found;
}

/** Every object in a JSON value, itself included. */
export function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

/** The answers that an operation documents, by status, with references resolved. */
export const responsesOf = (document: Document, { says }: Operation): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(says.responses as Json).map(([status, it]) => [status, resolve(document, it as Json)]),
  );
