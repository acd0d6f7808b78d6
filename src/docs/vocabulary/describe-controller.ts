import type { Type } from '@nestjs/common';

/** A decorator with the OpenAPI description of each handler of a controller. */
type Descriptions<T> = { readonly [Name in keyof T]: MethodDecorator };

/**
 * Applies OpenAPI decorators to a controller and its handlers from outside. If controllers imported them, the service would load
 * `@nestjs/swagger`, which only the build needs and which takes longer to load than everything else.
 */
export function describeController<T>(controller: Type<T>, all: ClassDecorator, handlers: Descriptions<T>): void {
  const prototype = controller.prototype as object;
  for (const [name, describe] of Object.entries<MethodDecorator>(handlers))
    describe(prototype, name, Object.getOwnPropertyDescriptor(prototype, name)!);
  all(controller);
}
