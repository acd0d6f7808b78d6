import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from '../vocabulary/open-api.js';

/** A thing in the document, a name for it, and the way to put something else in its place. */
interface Place {
  name: string;
  value: object;
  replace: (value: { $ref: string }) => void;
}

/** Moves parameters and answers that operations repeat word for word to `components`, so that the document says them once. */
export function shareRepeated(document: OpenAPIObject): void {
  const all = operationsOf(document);
  const { components = {} } = document;
  components.parameters = share('parameters', all.flatMap(parameterPlaces)) as typeof components.parameters;
  components.responses = share('responses', all.flatMap(responsePlaces)) as typeof components.responses;
}

function parameterPlaces({ parameters = [] }: Operation): Place[] {
  return (parameters as { name: string; in: string }[]).map((value, at) => ({
    name: value.in === 'query' ? value.name : `${value.in}.${value.name}`,
    value,
    replace: (reference) => (parameters[at] = reference),
  }));
}

function responsePlaces({ responses }: Operation): Place[] {
  return Object.entries(responses).map(([status, value]) => ({
    name:
      status === '304'
        ? 'NotModified'
        : (STATUS_CODES[status] ?? 'Unacceptable').replace(/[^A-Za-z]/g, '') + ('content' in value! ? '' : 'OfHead'),
    value: value!,
    replace: (reference) => (responses[status] = reference),
  }));
}

function share(kind: string, places: Place[]): Record<string, object> {
  const shared: Record<string, object> = {};
  const byText = new Map<string, Place[]>();
  for (const place of places) {
    const text = JSON.stringify(place.value);
    byText.set(text, [...(byText.get(text) ?? []), place]);
  }
  for (const same of byText.values()) {
    if (same.length === 1) continue;
    const { name: base, value } = same[0]!;
    const name = freeName(base, shared);
    shared[name] = value;
    for (const { replace } of same) replace({ $ref: `#/components/${kind}/${name}` });
  }
  return shared;
}

function freeName(base: string, taken: object): string {
  let name = base;
  for (let at = 2; Object.hasOwn(taken, name); at++) name = base + at;
  return name;
}
