import { getMetadataArgsStorage } from 'typeorm';

/**
 * Returns a SELECT list with an entity's columns under their property names, such as `e.id, e.org_id AS "orgId"`. Each
 * row is then an entity without hydration, and a new column can't be forgotten. `properties` limits the list. As in
 * TypeORM, bigint values are returned as strings. Call this once per statement, when the module is loaded.
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
