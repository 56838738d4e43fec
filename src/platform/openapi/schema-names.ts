import type { OpenAPIObject } from '@nestjs/swagger';

const PREFIX = '#/components/schemas/';
/** How our classes are called says what they are for inside; clients read `Website` and `CreateWebsite`. */
const OURS = /(?:Dto|View)$/;

/** The document with the schemas under the names that clients read. Throws when two would have the same one. */
export function withPublicNames(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const names = schemas.map(([name]) => publicName(name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two schemas would be called ${twice}: rename one of the classes`);
  const renamed = Object.fromEntries(schemas.map(([name, schema]) => [publicName(name), schema]));
  return withPublicReferences({ ...document, components: { ...document.components, schemas: renamed } });
}

const publicName = (name: string): string => name.replace(OURS, '');

/** `$ref` and the mapping of a discriminator: the only places where a schema is named. */
function withPublicReferences<Value>(value: Value): Value;
function withPublicReferences(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(PREFIX) ? publicName(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withPublicReferences(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPublicReferences(item)]));
}
