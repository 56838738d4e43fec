import { getMetadataArgsStorage } from 'typeorm';

/**
 * The select list of an entity's columns under their property names, e.g. `e.id, e.org_id AS "orgId"`: a row is an entity
 * without hydration, and a new column cannot be forgotten. `properties` narrows the list. bigint is read as text, as
 * TypeORM does. Call it once per statement, when the module is loaded.
 */
export function selectColumns<Entity extends object>(
  entity: new () => Entity,
  alias: string,
  properties?: readonly (keyof Entity & string)[],
): string {
  const wanted: ReadonlySet<string> | null = properties ? new Set(properties) : null;
  return getMetadataArgsStorage()
    .columns.filter(({ target, propertyName }) => target === entity && (wanted?.has(propertyName) ?? true))
    .map(({ propertyName, options }) => {
      const column = `${alias}.${options.name ?? propertyName}${options.type === 'bigint' ? '::text' : ''}`;
      return `${column} AS "${propertyName}"`;
    })
    .join(', ');
}
