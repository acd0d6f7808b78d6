import type { OpenAPIObject } from '@nestjs/swagger';

/** Any JSON object, its parts as untyped as `JSON.parse` leaves them. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>;

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** One operation of an OpenAPI document. */
export interface Operation {
  /** In capitals. */
  method: string;
  path: string;
  /** What the document says about it. */
  says: Json;
}

/** All operations of a document in its order. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const says = (item as Json)[method];
      return says ? [{ method: method.toUpperCase(), path, says }] : [];
    }),
  );
}

/** The thing itself, or what it refers to within the document. Throws when it refers to nothing. */
export function resolve(document: OpenAPIObject, thing: Json): Json {
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
export const responsesOf = (document: OpenAPIObject, { says }: Operation): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(says.responses as Json).map(([status, it]) => [status, resolve(document, it as Json)]),
  );
