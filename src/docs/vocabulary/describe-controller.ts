import type { Type } from '@nestjs/common';

/** The handlers of a controller, each with what the OpenAPI document says of it. */
type Descriptions<T> = { readonly [Name in keyof T]: MethodDecorator };

/**
 * Puts the OpenAPI description on a controller and its handlers from outside. Controllers import no description: the service
 * would load the generator of the document, which takes longer than the rest of its start and which the build alone needs.
 */
export function describeController<T>(controller: Type<T>, all: ClassDecorator, handlers: Descriptions<T>): void {
  const prototype = controller.prototype as object;
  for (const [name, describe] of Object.entries<MethodDecorator>(handlers))
    describe(prototype, name, Object.getOwnPropertyDescriptor(prototype, name)!);
  all(controller);
}
