import type { OpenAPIObject } from '@nestjs/swagger';

type Components = Required<NonNullable<OpenAPIObject['components']>>;
type Reference = { $ref: string };
type PathItem = OpenAPIObject['paths'][string];

/** A JSON schema as @nestjs/swagger types it. */
export type Schema = Exclude<Components['schemas'][string], Reference>;

/** The description of a response header. */
export type Header = Exclude<Components['headers'][string], Reference>;

/** A method of a path. */
export type Operation = NonNullable<PathItem['get']>;

/** A response of an operation. */
export type OperationResponse = Exclude<NonNullable<Operation['responses'][string]>, Reference>;

/** All operations of a document. */
export const operationsOf = ({ paths }: OpenAPIObject): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
