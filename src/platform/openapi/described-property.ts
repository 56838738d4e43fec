import type { ApiPropertyOptions } from '@nestjs/swagger';

/** Where `@nestjs/swagger` keeps the description of a property (its `DECORATORS`). */
const PROPERTIES = 'swagger/apiModelProperties';
const NAMES = 'swagger/apiModelPropertiesArray';

type Described = Pick<
  Extract<ApiPropertyOptions, { description?: string }>,
  'title' | 'description' | 'example' | 'format' | 'default' | 'minimum' | 'maximum' | 'maxLength' | 'maxItems'
> & { type?: unknown; enum?: readonly string[] };

/**
 * Describes a property for the API document, like the decorator of `@nestjs/swagger`, whose modules it doesn't load.
 * Probes run the checkers without an API.
 */
export const ApiProperty = (options: Described): PropertyDecorator => describe(options, true);

/** Like `ApiProperty`, for a property that may be absent. */
export const ApiPropertyOptional = (options: Described): PropertyDecorator => describe(options, false);

function describe({ type: given, ...rest }: Described, required: boolean): PropertyDecorator {
  const isArray = Array.isArray(given);
  const type: unknown = Array.isArray(given) ? given[0] : (given ?? (rest.enum && 'string'));
  return (target, name) => {
    const names = (Reflect.getMetadata(NAMES, target) as readonly string[] | undefined) ?? [];
    Reflect.defineMetadata(NAMES, [...names, `:${String(name)}`], target);
    const stated: unknown = type ?? Reflect.getMetadata('design:type', target, name);
    const described = { type: stated, required, ...rest, ...(isArray && { isArray }) };
    Reflect.defineMetadata(PROPERTIES, described, target, name);
  };
}
