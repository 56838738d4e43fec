import type { Tx } from './database';

const AT_ONCE = 1000;

/**
 * Updates the rows with these IDs. All rows must have the same properties as the first one. The caller must hold their
 * locks. Cost: one statement, with one primary key lookup per row.
 */
export async function updateRows<Row extends { id: string }>(
  tx: Tx,
  entity: new () => Row,
  rows: readonly (Partial<Row> & { id: string })[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { tableName, columns: all } = tx.manager.connection.getMetadata(entity);
  const columns = all.filter(({ propertyName }) => Object.hasOwn(first, propertyName) && propertyName !== 'id');
  const set = columns.map(({ databaseName: name }) => `${name} = r.${name}`).join(', ');
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const records = rows.slice(from, from + AT_ONCE).map((row) => ({
      id: row.id,
      ...Object.fromEntries(
        columns.map(({ propertyName, databaseName }) => [databaseName, row[propertyName as keyof Row] ?? null]),
      ),
    }));
    await tx.query(
      `UPDATE ${tableName} t SET ${set} FROM json_populate_recordset(NULL::${tableName}, $1::json) r WHERE t.id = r.id`,
      [JSON.stringify(records)],
    );
  }
}
