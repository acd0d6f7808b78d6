import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from '../vocabulary/open-api.js';

/** A parameter or response where an operation defines it, a name for it, and how to replace it by a reference. */
interface Definition {
  name: string;
  value: object;
  replace: (value: { $ref: string }) => void;
}

/** Moves parameters and responses that several operations define identically to `components`. */
export function extractComponents(document: OpenAPIObject): void {
  const operations = operationsOf(document);
  const { components = {} } = document;
  components.parameters = share('parameters', operations.flatMap(parametersOf)) as typeof components.parameters;
  components.responses = share('responses', operations.flatMap(responsesOf)) as typeof components.responses;
}

function parametersOf({ parameters = [] }: Operation): Definition[] {
  return (parameters as { name: string; in: string }[]).map((value, at) => ({
    name: value.in === 'query' ? value.name : `${value.in}.${value.name}`,
    value,
    replace: (reference) => (parameters[at] = reference),
  }));
}

function responsesOf({ responses }: Operation): Definition[] {
  return Object.entries(responses).map(([status, value]) => ({
    name:
      status === '304'
        ? 'NotModified'
        : (STATUS_CODES[status] ?? 'Unacceptable').replace(/[^A-Za-z]/g, '') + ('content' in value! ? '' : 'OfHead'),
    value: value!,
    replace: (reference) => (responses[status] = reference),
  }));
}

function share(kind: string, definitions: Definition[]): Record<string, object> {
  const shared: Record<string, object> = {};
  const byText = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const text = JSON.stringify(definition.value);
    byText.set(text, [...(byText.get(text) ?? []), definition]);
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
