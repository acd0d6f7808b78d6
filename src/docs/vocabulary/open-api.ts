import type { OpenAPIObject } from '@nestjs/swagger';

type Components = Required<NonNullable<OpenAPIObject['components']>>;
type Reference = { $ref: string };

/** A JSON schema as @nestjs/swagger types it. */
export type Schema = Exclude<Components['schemas'][string], Reference>;

/** The description of a response header. */
export type Header = Exclude<Components['headers'][string], Reference>;
