import { getMetadataArgsStorage } from 'typeorm';

/**
 * Returns the select list of an entity's columns under their property names, such as `e.id, e.org_id AS "orgId"`. A row
 * is then an entity without hydration, and a new column can't be forgotten. `properties` narrows the list. bigint is
 * read as text, as in TypeORM. Call it once per statement, when the module is loaded.
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
